import { join } from "node:path";
import { expect } from "chai";
import {
  anyPorts,
  eventually,
  type Finished,
  type Program,
  root,
  startDrover,
  Workplace,
} from "./drover.ts";
import { Kubectl } from "./kubectl.ts";
import { becomes, settled } from "./snapshots.ts";

const ports = [...anyPorts, ...["--metrics-listen-addr", "127.0.0.1:0"]];
const samples = join(root, "config/samples/tenant");
const asGitops = ["--server-side", "--field-manager=gitops"];
const everything = [
  ...["namespaces", "clusterroles", "clusterrolebindings", "roles", "rolebindings", "secrets"],
  ...["resourcequotas", "limitranges", "users.management.cattle.io", "projects"],
  ...["roletemplates", "clusterroletemplatebindings", "projectroletemplatebindings"],
];
const patience = 30_000;

describe("a tenant in a GitOps repository", function () {
  this.timeout(180_000);

  let place: Workplace;
  let dev: Program;
  let cluster: Kubectl;
  let earlier: readonly string[];

  const apply = (): Promise<Finished> => cluster.kubectl("apply", "-f", samples, ...asGitops);
  const may = (user: string, expected: boolean, ...what: readonly string[]) =>
    eventually(
      `${expected ? "" : "end of "}right of ${user} to ${what.join(" ")}`,
      async () => {
        const { stdout } = await cluster.kubectl("auth", "can-i", ...what, "--as", user);
        return stdout.startsWith("yes") === expected || undefined;
      },
      patience,
      () => dev.output.slice(-3000),
    );
  const quota = async (namespace: string) => {
    const jsonpath = "jsonpath={.items[*].spec.hard}";
    const { stdout } = await cluster.kubectl(
      "get",
      "resourcequota",
      "-n",
      namespace,
      "-o",
      jsonpath,
    );
    return stdout === "" ? undefined : JSON.parse(stdout);
  };
  const names = async (): Promise<readonly string[]> =>
    (await cluster.versions(everything)).map((line) => line.split(/\s+/).slice(0, 3).join("/"));

  before(async () => {
    place = new Workplace();
    dev = startDrover(["dev", ...ports], { cwd: place.dir });
    await dev.prints(/drover is ready/);
    cluster = new Kubectl(place, place.state("bin/kubectl"), place.state("kubeconfig"));
    earlier = await settled(names);
  });
  after(async () => {
    await dev?.[Symbol.asyncDispose]();
    place?.[Symbol.dispose]();
  });

  it("is applied twice without a conflict, and takes effect", async () => {
    const first = await apply();
    const second = await apply();

    expect(first.code, first.stderr).to.equal(0);
    expect(second.code, second.stderr).to.equal(0);
    await may("u-acme-ann", true, "create", "deployments.apps", "-n", "acme-staging");
    await may("u-acme-bob", true, "list", "pods", "-n", "acme-production");
    await may("u-acme-bob", false, "create", "deployments.apps", "-n", "acme-staging");
    const group = ["--as-group", "github_team://acme"];
    await may("somebody", true, "list", "nodes", ...group);
    expect(await eventually("quota", () => quota("acme-staging"), patience)).to.include({
      pods: "20",
    });
    expect(await eventually("quota", () => quota("acme-production"), patience)).to.include({
      pods: "40",
    });
  });

  it("settles every condition, and binds nobody for having applied it", async () => {
    for (const type of ["BackingNamespaceCreated", "CreatorMadeOwner", "InitialRolesPopulated"]) {
      const wait = ["wait", "project/p-acme", "-n", "local", `--for=condition=${type}`];
      const { code, stderr } = await cluster.kubectl(...wait, "--timeout=20s");
      expect(code, `${type}: ${stderr}`).to.equal(0);
    }

    const project = await cluster.get("project", "p-acme", "-n", "local");
    const bindings = await cluster.names("projectroletemplatebindings");
    expect(project?.metadata.annotations).not.to.have.property("field.cattle.io/creatorId");
    expect(bindings.filter((name) => name.startsWith("creator-"))).to.deep.equal([]);
  });

  it("shows no difference once it has settled, and again after another apply", async () => {
    await settled(() => cluster.versions(everything));

    const before = await cluster.kubectl("diff", "-f", samples, ...asGitops);
    const again = await apply();
    const after = await cluster.kubectl("diff", "-f", samples, ...asGitops);

    expect(again.code, again.stderr).to.equal(0);
    expect([before.code, before.stdout, before.stderr]).to.deep.equal([0, "", ""]);
    expect([after.code, after.stdout, after.stderr]).to.deep.equal([0, "", ""]);
  });

  it("is pruned without a trace, all at once and in no order", async () => {
    const prune = ["delete", "-f", samples, "--wait=false", "--ignore-not-found"];

    // A role template may go only after those that inherit it: as GitOps controllers do, what is refused is tried again.
    await eventually(
      "end of pruning",
      async () => (await cluster.kubectl(...prune)).code === 0 || undefined,
      patience,
    );

    await may("u-acme-ann", false, "create", "deployments.apps", "-n", "acme-staging");
    expect(await becomes(names, earlier)).to.equal("");
  });
});
