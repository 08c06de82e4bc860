import { readFileSync } from "node:fs";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { anyPorts, eventually, type Program, startDrover, Workplace } from "./drover.ts";
import { Kubectl } from "./kubectl.ts";

/** As by default, seven times as fast: a replica that is killed keeps its clusters for 4 s. */
const env = {
  CATTLE_ELECTION_LEASE_DURATION: "6s",
  CATTLE_ELECTION_RENEW_DEADLINE: "4s",
  CATTLE_ELECTION_RETRY_PERIOD: "500ms",
};
const names = ["c-one"];
const patience = 30_000;

describe("two replicas and the clusters of a server", function () {
  this.timeout(180_000);

  let plane: ControlPlane;
  let other: ControlPlane;
  let place: Workplace;
  let hub: Kubectl;
  const replicas: Program[] = [];

  before(async () => {
    [plane, other] = await Promise.all([startControlPlane(), startControlPlane()]);
    place = new Workplace();
    hub = new Kubectl(place, plane.binaries.kubectl ?? "kubectl", plane.kubeconfigPath);
  });
  after(async () => {
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
    place?.[Symbol.dispose]();
    await Promise.all([plane?.stop(), other?.stop()]);
  });

  const start = (): Program => {
    const where = ["--kubeconfig", plane.kubeconfigPath, "--metrics-listen-addr", "127.0.0.1:0"];
    const replica = startDrover(["server", ...where, ...anyPorts], { cwd: place.dir, env });
    replicas.push(replica);
    return replica;
  };
  /** How many clusters a replica works for, `local` among them. */
  const works = async (replica: Program): Promise<number> => {
    const [, url = ""] = await replica.prints(
      /"url":"(http:[^"]+)","msg":"serving metrics and health"/,
    );
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const [, count = "0"] = /^drover_clusters\{phase="ready"\} (\d+)$/m.exec(metrics) ?? [];
    return Number(count);
  };
  const shared = (expected: number, ...among: readonly Program[]): Promise<readonly number[]> =>
    eventually(
      `${expected} clusters in work`,
      async () => {
        const counts = await Promise.all(among.map(works));
        return counts.reduce((sum, count) => sum + count, 0) === expected ? counts : undefined;
      },
      patience,
      () => among.map(({ output }) => output.split("\n").slice(-20).join("\n")).join("\n---\n"),
    );
  const ready = async (name: string): Promise<boolean> => {
    const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
    const { stdout } = await hub.kubectl("get", `cluster.management.cattle.io/${name}`, "-o", path);
    return stdout === "True";
  };

  it("case 95: are shared between the two, and taken over from one that is killed, and from one that stops", async () => {
    const first = start();
    await first.prints(/became leader/);
    const second = start();
    await second.prints(/"members":\[[^\]]*,/);

    await importAll();
    for (const name of names) {
      await eventually(`${name} ready`, async () => (await ready(name)) || undefined, patience);
    }
    await shared(names.length + 1, first, second);

    first.kill("SIGKILL");
    await first.ended();
    await shared(names.length + 1, second);

    const third = start();
    await third.prints(/"members":\[[^\]]*,/);
    await shared(names.length + 1, second, third);
    second.kill("SIGTERM");
    expect(await second.ended()).to.equal(0);
    await shared(names.length + 1, third);
  });

  async function importAll(): Promise<void> {
    const kubeconfig = readFileSync(other.kubeconfigPath, "utf8");
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "kubeconfig", namespace: "cattle-global-data" },
      stringData: { value: kubeconfig },
    };
    await eventually(
      "namespace of the Secret",
      async () => (await hub.apply(JSON.stringify(secret))).code === 0 || undefined,
      patience,
    );
    for (const name of names) {
      const annotations = { "drover.dev/kubeconfig-secret": "kubeconfig" };
      const { code, stderr } = await hub.apply(
        JSON.stringify({
          apiVersion: "management.cattle.io/v3",
          kind: "Cluster",
          metadata: { name, annotations },
          spec: { displayName: name },
        }),
      );
      expect(code, stderr).to.equal(0);
    }
  }
});
