import { readFileSync } from "node:fs";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { anyPorts, eventually, type Program, startDrover, Workplace } from "./drover.ts";
import { Kubectl } from "./kubectl.ts";
import { becomes, settled } from "./snapshots.ts";
import { importedCluster, member, namespaceIn, projectOf, team } from "./tenant.ts";

const ports = [...anyPorts, ...["--metrics-listen-addr", "127.0.0.1:0"]];
/** Everything that may be left behind. */
const traces = [
  ...["namespaces", "clusterroles", "clusterrolebindings", "roles", "rolebindings"],
  ...["serviceaccounts", "secrets", "resourcequotas", "limitranges", "networkpolicies"],
];
const ours = [
  ...["clusters", "projects", "roletemplates", "clusterroletemplatebindings"],
  ...["projectroletemplatebindings", "users", "clusterregistrationtokens"],
].map((plural) => `${plural}.management.cattle.io`);
const patience = 30_000;

/** `where kind/namespace/name`, without versions. */
function identities(where: string, versions: readonly string[]): readonly string[] {
  return versions.map((line) => `${where} ${line.trim().split(/\s+/).slice(0, 3).join("/")}`);
}

describe("a second cluster", function () {
  this.timeout(240_000);

  let place: Workplace;
  let dev: Program;
  let other: ControlPlane;
  let hub: Kubectl;
  let cluster: Kubectl;
  let earlier: readonly string[];

  const applied = async (yaml: string): Promise<void> => {
    const { code, stderr } = await hub.apply(yaml);
    expect(code, stderr).to.equal(0);
  };
  const can = async (
    where: Kubectl,
    user: string,
    ...what: readonly string[]
  ): Promise<boolean> => {
    const { stdout } = await where.kubectl("auth", "can-i", ...what, "--as", user);
    return stdout.startsWith("yes");
  };
  /** Waits until both clusters say so. */
  const may = (where: Kubectl, user: string, expected: boolean, ...what: readonly string[]) =>
    eventually(
      `${expected ? "right" : "end of the right"} of ${user} to ${what.join(" ")}`,
      async () => (await can(where, user, ...what)) === expected || undefined,
      patience,
      () => dev.output.split("\n").slice(-30).join("\n"),
    );
  const snapshot = async (): Promise<readonly string[]> => [
    ...identities("hub", await hub.versions([...traces, ...ours])),
    ...identities("cluster", await cluster.versions(traces)),
  ];
  const backing = (): Promise<string> =>
    eventually(
      "backing namespace",
      async () => {
        const project = await hub.get("project", "p-web", "-n", "c-second");
        const { backingNamespace } = (project?.status ?? {}) as { backingNamespace?: string };
        if (backingNamespace === undefined) return undefined;
        return (await hub.get("namespace", backingNamespace)) && backingNamespace;
      },
      patience,
    );

  before(async () => {
    place = new Workplace();
    dev = startDrover(["dev", ...ports], { cwd: place.dir });
    other = await startControlPlane({ name: "second" });
    await dev.prints(/drover is ready/);
    const program = place.state("bin/kubectl");
    hub = new Kubectl(place, program, place.state("kubeconfig"));
    cluster = new Kubectl(place, program, other.kubeconfigPath);
    earlier = await settled(snapshot);
    await applied(team);
  });
  after(async () => {
    await dev?.[Symbol.asyncDispose]();
    await other?.stop();
    place?.[Symbol.dispose]();
  });

  it("is imported by its kubeconfig, and becomes ready", async () => {
    await applied(importedCluster("c-second", readFileSync(other.kubeconfigPath, "utf8")));

    const { code, stdout, stderr } = await hub.kubectl(
      ...[
        "wait",
        "cluster.management.cattle.io/c-second",
        "--for=condition=Ready",
        "--timeout=60s",
      ],
    );
    expect(code, stdout + stderr + dev.output.slice(-3000)).to.equal(0);
    const found = await hub.get("cluster.management.cattle.io", "c-second");
    expect(found?.status).to.include({ driver: "imported" });
  });

  it("gives members of its projects their rights, and nobody else", async () => {
    await applied(projectOf("c-second"));
    const home = await backing();
    const make = await cluster.apply(namespaceIn("web", "c-second:p-web"));
    expect(make.code, make.stderr).to.equal(0);
    expect(await can(cluster, "u-jane", "create", "configmaps", "-n", "web")).to.equal(false);
    expect(await can(hub, "u-jane", "get", "project/p-web", "-n", "c-second")).to.equal(false);

    await applied(member("jane", home, "project-member"));

    await may(cluster, "u-jane", true, "create", "configmaps", "-n", "web");
    await may(hub, "u-jane", true, "get", "projects.management.cattle.io/p-web", "-n", "c-second");
    expect(await can(cluster, "u-jane", "create", "configmaps", "-n", "default")).to.equal(false);
    expect(await can(cluster, "u-joe", "create", "configmaps", "-n", "web")).to.equal(false);
    await may(cluster, "u-jane", true, "create", "namespaces");
  });

  it("follows changes of a role template", async () => {
    expect(await can(cluster, "u-joe", "list", "secrets", "-n", "web")).to.equal(false);
    await applied(member("joe", await backing(), "team-reader"));
    await may(cluster, "u-joe", true, "list", "configmaps", "-n", "web");

    const rules = '{"rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["list"]}]}';
    await hub.kubectl("patch", "roletemplate", "team-reader", "--type=merge", "-p", rules);

    await may(cluster, "u-joe", true, "list", "secrets", "-n", "web");
    await may(cluster, "u-joe", false, "list", "configmaps", "-n", "web");
  });

  it("moves rights along with a namespace", async () => {
    await applied(projectOf("c-second", "p-other"));

    await cluster.kubectl(
      ...[
        "annotate",
        "namespace",
        "web",
        "--overwrite",
        "field.cattle.io/projectId=c-second:p-other",
      ],
    );

    await may(cluster, "u-jane", false, "create", "configmaps", "-n", "web");
    await cluster.kubectl(
      ...[
        "annotate",
        "namespace",
        "web",
        "--overwrite",
        "field.cattle.io/projectId=c-second:p-web",
      ],
    );
    await may(cluster, "u-jane", true, "create", "configmaps", "-n", "web");
  });

  it("ends a right with its binding", async () => {
    const { code, stderr } = await hub.kubectl(
      "delete",
      "projectroletemplatebinding",
      "joe",
      "-n",
      await backing(),
    );

    expect(code, stderr).to.equal(0);
    await may(cluster, "u-joe", false, "list", "secrets", "-n", "web");
    expect(await can(cluster, "u-jane", "create", "configmaps", "-n", "web")).to.equal(true);
  });

  it("is clean, and so is the hub, once everything is deleted", async () => {
    await hub.kubectl("delete", "project", "p-web", "p-other", "-n", "c-second");
    await may(cluster, "u-jane", false, "create", "configmaps", "-n", "web");
    await cluster.kubectl("delete", "namespace", "web", "--ignore-not-found");
    await hub.kubectl("delete", "cluster.management.cattle.io", "c-second", "--timeout=60s");
    await hub.kubectl("delete", "secret", "second-kubeconfig", "-n", "cattle-global-data");
    await hub.kubectl("delete", "roletemplate", "team-reader");
    await hub.kubectl("delete", "users.management.cattle.io", "u-jane", "u-joe");

    expect(await becomes(snapshot, earlier)).to.equal("");
  });
});
