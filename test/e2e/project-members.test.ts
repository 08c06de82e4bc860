import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import {
  anyPorts,
  eventually,
  type Finished,
  type Program,
  startDrover,
  Workplace,
} from "./drover.ts";
import { Kubectl } from "./kubectl.ts";
import { namespaceIn } from "./tenant.ts";

const ports = [...anyPorts, ...["--metrics-listen-addr", "127.0.0.1:0"]];
const patience = 30_000;
const people = ["mia", "olaf", "nina"];

const user = (name: string): string => `apiVersion: management.cattle.io/v3
kind: User
metadata: { name: u-${name} }
username: ${name}
`;
const project = `apiVersion: management.cattle.io/v3
kind: Project
metadata: { name: p-shop, namespace: local }
spec: { displayName: Shop, clusterName: local }
`;
const bound = (name: string, role: string): string => `apiVersion: management.cattle.io/v3
kind: ProjectRoleTemplateBinding
metadata: { name: ${name}, namespace: local-p-shop }
userName: u-${name}
projectName: local:p-shop
roleTemplateName: ${role}
`;

describe("members of a project", function () {
  this.timeout(180_000);

  let place: Workplace;
  let dev: Program;
  let hub: Kubectl;

  const applied = async (yaml: string): Promise<void> => {
    const { code, stderr } = await hub.apply(yaml);
    expect(code, stderr).to.equal(0);
  };
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(what, look, patience, () => dev.output.split("\n").slice(-30).join("\n"));
  /** Not `apply`, which reads first: nobody may read what is not there yet. */
  const makes = (name: string, namespace: string): Promise<Finished> => {
    const file = join(place.dir, `${namespace}.yaml`);
    writeFileSync(file, namespaceIn(namespace, "local:p-shop"));
    return hub.kubectl("create", "-f", file, "--as", `u-${name}`);
  };

  before(async () => {
    place = new Workplace();
    dev = startDrover(["dev", ...ports], { cwd: place.dir });
    await dev.prints(/drover is ready/);
    hub = new Kubectl(place, place.state("bin/kubectl"), place.state("kubeconfig"));
    await applied([...people.map(user), project].join("---\n"));
    const ready = ["--for=condition=InitialRolesPopulated", "--timeout=60s"];
    await hub.kubectl("wait", "projects.management.cattle.io/p-shop", "-n", "local", ...ready);
  });
  after(async () => {
    await dev?.[Symbol.asyncDispose]();
    place?.[Symbol.dispose]();
  });

  for (const { name, role } of [
    { name: "mia", role: "project-member" },
    { name: "olaf", role: "project-owner" },
  ]) {
    it(`case 52: make namespaces in it with ${role}, and then work in them`, async () => {
      const before = await makes(name, `shop-of-${name}`);

      await applied(bound(name, role));
      await until("right to make the namespace", async () => {
        const { code } = await makes(name, `shop-of-${name}`);
        return code === 0 || undefined;
      });

      expect(before.code).not.to.equal(0);
      await until("namespace that says that its roles are there", async () => {
        const found = await hub.get("namespace", `shop-of-${name}`, "--as", `u-${name}`);
        const said = found?.metadata.annotations?.["cattle.io/status"] ?? "";
        return said.includes('"Type":"InitialRolesPopulated","Status":"True"') || undefined;
      });
      await until("right to work in the namespace", async () => {
        const what = ["create", "configmaps", "-n", `shop-of-${name}`];
        const { stdout } = await hub.kubectl("auth", "can-i", ...what, "--as", `u-${name}`);
        return stdout.startsWith("yes") || undefined;
      });
    });
  }

  it("are the only ones who do", async () => {
    const { code, stderr } = await makes("nina", "shop-of-nina");

    expect(code, stderr).not.to.equal(0);
    expect(stderr).to.match(/forbidden/i);
    expect(await hub.get("namespace", "shop-of-nina")).to.equal(undefined);
  });
});
