import { type ControlPlane, freePort, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { drover, eventually, type Program, startDrover, Workplace } from "./drover.ts";
import { Kubectl } from "./kubectl.ts";
import { olderObjects } from "./older.ts";
import { refusals } from "./refused.ts";
import { settled } from "./snapshots.ts";

const ports = [
  ...["--https-listen-port", "0", "--http-listen-port", "0"],
  ...["--metrics-listen-addr", "127.0.0.1:0"],
];
const kinds = [
  ...["clusters", "features", "globalrolebindings", "globalroles", "roletemplates", "settings"],
  "users",
].map((plural) => `${plural}.management.cattle.io`);
const others = [
  ...["namespaces", "clusterroles", "clusterrolebindings", "roles", "rolebindings"],
  ...["secrets", "configmaps", "validatingwebhookconfigurations"],
  "mutatingwebhookconfigurations",
];
const systemNamespaces = [
  ...["cattle-system", "cattle-fleet-system", "cattle-impersonation-system"],
  ...["cattle-telemetry-system", "rancher-operator-system", "cattle-csp-adapter-system"],
  ...["cattle-scc-system", "cattle-local-user-passwords", "cattle-global-data", "cattle-tokens"],
  ...["fleet-local", "fleet-default", "cattle-ui-plugin-system"],
];

describe("the management plane", function () {
  this.timeout(180_000);

  let place: Workplace;
  let dev: Program;
  let cluster: Kubectl;
  let webhookPort: string;
  const start = async (): Promise<void> => {
    dev = startDrover(["dev", ...ports, "--webhook-listen-port", webhookPort], { cwd: place.dir });
    await dev.prints(/drover is ready/);
  };

  before(async () => {
    webhookPort = String(await freePort()); // the second start has the same configurations to write
    place = new Workplace();
    await start();
    cluster = new Kubectl(place, place.state("bin/kubectl"), place.state("kubeconfig"));
  });
  after(async () => {
    await dev[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  it("is there from an empty cluster on", async () => {
    expect(await cluster.names("globalroles.management.cattle.io")).to.include.members([
      ...["admin", "user", "user-base", "settings-manage"],
    ]);
    expect(await cluster.names("roletemplates.management.cattle.io")).to.include.members([
      ...["cluster-owner", "project-owner", "admin"],
    ]);
    expect(await cluster.names("namespaces")).to.include.members(systemNamespaces);
    const local = await cluster.get("cluster.management.cattle.io", "local");
    expect(local?.spec).to.include({ internal: true, displayName: "local" });
    const { stdout } = await cluster.kubectl("get", "users.management.cattle.io", "-o", "json");
    const users: readonly { readonly username: string }[] = JSON.parse(stdout).items;
    expect(users.map(({ username }) => username)).to.deep.equal(["admin"]);
  });

  it("lets the administrator do everything, once his binding is reconciled", async () => {
    const [name = ""] = await cluster.names("users.management.cattle.io");

    await eventually(
      "right to delete nodes",
      async () => {
        const { stdout } = await cluster.kubectl("auth", "can-i", "delete", "nodes", "--as", name);
        return stdout.startsWith("yes") || undefined;
      },
      10_000,
    );
  });

  describe("refuses", () => {
    before(async () => {
      const roles = `apiVersion: management.cattle.io/v3
kind: User
metadata: { name: u-roles }
username: roles
---
apiVersion: management.cattle.io/v3
kind: GlobalRoleBinding
metadata: { name: grb-roles }
userName: u-roles
globalRoleName: roles-manage
`;
      const { code, stderr } = await cluster.apply(roles);
      expect(code, stderr).to.equal(0);
      await eventually(
        "right to create role templates",
        async () => {
          const { stdout } = await cluster.kubectl(
            ...["auth", "can-i", "create", "roletemplates.management.cattle.io"],
            ...["--as", "u-roles"],
          );
          return stdout.startsWith("yes") || undefined;
        },
        10_000,
      );
    });

    for (const { about, given, yaml, delete: gone = [], as, says } of refusals) {
      it(about, async () => {
        if (given !== undefined) {
          const { code, stderr } = await cluster.apply(given);
          expect(code, stderr).to.equal(0);
        }
        const who = as === undefined ? [] : ["--as", as];

        const { code, stderr } = await (yaml === undefined
          ? cluster.kubectl("delete", ...gone, ...who)
          : cluster.apply(yaml, ...who));

        expect(code, stderr).to.equal(1);
        expect(stderr).to.match(says);
        expect(stderr).to.contain("denied the request");
      });
    }

    it("at least thirty objects", () => expect(refusals.length).to.be.at.least(30));
  });

  it("brings system namespaces back that a person deletes", async () => {
    const deleted = ["cattle-tokens", "fleet-default", "cattle-global-data"];
    const uids = await Promise.all(
      deleted.map(async (name) => (await cluster.get("namespace", name))?.metadata.uid),
    );

    const { code, stderr } = await cluster.kubectl("delete", "namespace", ...deleted);

    expect(code, stderr).to.equal(0);
    for (const [index, name] of deleted.entries()) {
      await eventually(
        `new namespace ${name}`,
        async () => {
          const uid = (await cluster.get("namespace", name))?.metadata.uid;
          return uid !== undefined && uid !== uids[index] ? true : undefined;
        },
        20_000,
      );
    }
  });

  it("writes nothing at a second start", async () => {
    await dev[Symbol.asyncDispose]();
    await start();
    const before = await settled(() => cluster.versions([...kinds, ...others])); // after a start, since controllers may have had work left

    await dev[Symbol.asyncDispose]();
    await start();

    expect(await cluster.versions([...kinds, ...others])).to.deep.equal(before);
  });
});

describe("the management plane on a cluster with older objects", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  before(async () => {
    plane = await startControlPlane();
  });
  after(() => plane.stop());

  it("brings them up to date and keeps what people set", async () => {
    using place = new Workplace();
    const { kubeconfigPath: kubeconfig, binaries } = plane;
    const cluster = new Kubectl(place, binaries.kubectl ?? "kubectl", kubeconfig);
    await drover(["crds", "--kubeconfig", kubeconfig, "--timeout", "60s"], place.dir);
    const { code, stderr } = await cluster.apply(olderObjects);
    expect(code, stderr).to.equal(0);

    const args = ["server", "--kubeconfig", kubeconfig, ...ports, "--webhook-listen-port", "0"];
    await using server = startDrover(args, { cwd: place.dir });
    await server.prints(/controllers are running/);
    await eventually(
      "namespace cattle-global-data, which comes last",
      () => cluster.get("namespace", "cattle-global-data"),
      30_000,
      () => server.output,
    );

    const setting = async (name: string) => cluster.get("setting.management.cattle.io", name);
    expect(await setting("password-min-length")).to.include({ value: "16", default: "12" });
    expect(await setting("agent-tls-mode")).to.include({ default: "system-store" });
    expect(await setting("a-setting-of-old")).to.equal(undefined);
    const feature = await cluster.get("feature.management.cattle.io", "legacy");
    expect(feature?.spec).to.deep.equal({ value: true });
    expect(feature?.status).to.include({ default: false, dynamic: true });
    const role = await cluster.get("globalrole.management.cattle.io", "user-base");
    expect(role).to.include({ newUserDefault: true, builtin: true });
    expect(JSON.stringify(role?.rules)).to.contain("preferences").and.not.contain("pods");
    const local = await cluster.get("cluster.management.cattle.io", "local");
    expect(local?.spec).to.include({ displayName: "home", internal: true });
    expect(await cluster.names("users.management.cattle.io")).to.deep.equal(["user-old"]);
  });
});
