import { type ControlPlane, freePort, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { anyPorts, ask, eventually, type Program, startDrover, Workplace } from "./drover.ts";

const listeners = [
  ...anyPorts,
  ...["--metrics-listen-addr", "0", "--log-format", "text", "--log-level", "debug"],
];
const configurations = ["validatingwebhookconfiguration", "rancher.cattle.io"];

/** Tests follow each other on one cluster, which is empty at first. */
describe("drover on a cluster of the user's", function () {
  this.timeout(180_000);

  let plane: ControlPlane;
  let place: Workplace;
  const running: Program[] = [];
  /** What all that ended have printed. */
  let printed = "";

  before(async () => {
    plane = await startControlPlane();
    place = new Workplace();
  });
  afterEach(async () => {
    for (const program of running.splice(0)) {
      await program[Symbol.asyncDispose]();
      printed += program.output;
    }
  });
  after(async () => {
    place?.[Symbol.dispose]();
    await plane?.stop();
  });

  const start = (command: string, ...args: readonly string[]): Program => {
    const all = [command, "--kubeconfig", plane.kubeconfigPath, ...listeners, ...args];
    const program = startDrover(all, { cwd: place.dir });
    running.push(program);
    return program;
  };
  const isReady = async (program: Program): Promise<void> => {
    const [, url = ""] = await program.prints(/ serving .*url=(https:\S+)/);
    const ready = async (): Promise<true | undefined> =>
      (await ask(`${url}/readyz`)).status === 200 ? true : undefined;
    await eventually("readiness", ready, 60_000, () => program.output);
  };
  const exists = async (...object: readonly string[]): Promise<boolean> =>
    (await plane.kubectl(["get", ...object])).code === 0;
  const gone = (...object: readonly string[]): Promise<true> =>
    eventually(
      `end of ${object.join(" ")}`,
      async () => ((await exists(...object)) ? undefined : true),
      60_000,
    );
  /** What the API server says to a GlobalRole whose rule has no verbs. */
  const refusal = async (): Promise<string> => {
    const metadata = { name: "without-verbs" };
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: [] }];
    const object = { apiVersion: "management.cattle.io/v3", kind: "GlobalRole", metadata, rules };
    const input = JSON.stringify({ ...object, displayName: "without verbs" });
    return (await plane.kubectl(["create", "--dry-run=server", "-f", "-"], { input })).stderr;
  };
  const isRefused = (): Promise<true> =>
    eventually(
      "refusal of a rule without verbs",
      async () => (/denied the request.*verbs/s.test(await refusal()) ? true : undefined),
      60_000,
    );

  it("is prepared by two servers that start at once, of which one leads", async () => {
    const servers = [start("server"), start("server")];

    await Promise.all(servers.map(isReady));

    const leading = servers.filter(({ output }) => output.includes("became leader"));
    expect(leading).to.have.length(1);
    expect(await exists("cluster.management.cattle.io", "local")).to.equal(true);
    await isRefused();
    for (const server of servers) server.kill("SIGTERM");
    for (const server of servers) expect(await server.ended(), server.output).to.equal(0);
  });

  it("is not locked by the webhooks of a server that is no more", async () => {
    expect(await refusal()).to.contain("failed calling webhook");

    const server = start("server");
    await isReady(server);

    await isRefused();
    server.kill("SIGKILL");
    await server.ended();
    await plane.kubectl(["delete", "lease", "cattle-controllers", "-n", "kube-system"]);
    await isReady(start("server"));
    await isRefused();
  });

  it("writes nothing at another start but its leases and the Event of the election", async () => {
    const port = String(await freePort());
    const first = start("server", "--webhook-listen-port", port);
    await isReady(first);
    await eventually(
      "configuration with this port",
      async () => {
        const { stdout } = await plane.kubectl(["get", ...configurations, "-o", "json"]);
        return stdout.includes(`:${port}/`) ? true : undefined;
      },
      60_000,
    );
    first.kill("SIGTERM");
    await first.ended();

    const address = ["--webhook-listen-port", port, "--metrics-listen-addr", "127.0.0.1:0"];
    const second = start("server", ...address);
    await isReady(second);
    const [, url = ""] = await second.prints(/serving metrics and health url=(\S+)/);
    await second.prints(/the first data are there/);
    const metrics = await (await fetch(`${url}/metrics`)).text();

    const sent = [
      ...metrics.matchAll(/^rest_client_requests_total\{.*method="(\w+)".*\} (\d+)$/gm),
    ];
    const count = (method: string): number =>
      sent.filter(([, each]) => each === method).reduce((sum, [, , n]) => sum + Number(n), 0);
    expect(count("GET")).to.be.greaterThan(50);
    expect(count("POST"), metrics).to.be.at.most(2); // the Event, and its lease among the replicas
    expect([count("PATCH"), count("DELETE")], metrics).to.deep.equal([0, 0]);
    expect(count("PUT")).to.be.within(1, 10); // the leases
  });

  it("has the generated password in a Secret, and showed it in no log", async () => {
    const path = "jsonpath={.data.bootstrapPassword}";
    const secret = ["get", "secret", "-n", "cattle-system", "bootstrap-secret", "-o", path];

    const { stdout } = await plane.kubectl(secret);

    const password = Buffer.from(stdout, "base64").toString();
    expect(password.length).to.be.greaterThan(20);
    expect(printed).to.contain("made the default admin").and.not.contain(password);
  });

  it("takes its own cluster out of the managed ones when told", async () => {
    const server = start("server", "--add-local=false");
    await isReady(server);

    await gone("cluster.management.cattle.io", "local");
  });

  it("is left without webhooks by drover dev", async () => {
    const dev = start("dev");
    await dev.prints(/drover is ready/);
    await isRefused();

    dev.kill("SIGINT");
    expect(await dev.ended(), dev.output).to.equal(0);

    expect(await exists(...configurations)).to.equal(false);
    expect(await refusal()).to.not.contain("webhook");
  });
});
