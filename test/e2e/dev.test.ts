import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import {
  ask,
  eventually,
  type Finished,
  type Program,
  root,
  run,
  startDrover,
  Workplace,
} from "./drover.ts";

const ports = [
  "--https-listen-port",
  "0",
  "--http-listen-port",
  "0",
  "--metrics-listen-addr",
  "127.0.0.1:0",
  "--webhook-listen-port",
  "0",
];
const samples = join(root, "config/samples");

function expiringToken(name: string): object {
  return {
    apiVersion: "management.cattle.io/v3",
    kind: "Token",
    metadata: { name },
    userId: "user-crowd",
    ttl: 1,
  };
}

describe("drover dev", function () {
  this.timeout(120_000);

  let place: Workplace;
  let dev: Program;
  const kubectl = (...args: readonly string[]): Promise<Finished> =>
    run(place.state("bin/kubectl"), args, {
      env: { KUBECONFIG: place.state("kubeconfig"), HOME: place.dir },
    });
  const start = async (): Promise<void> => {
    dev = startDrover(["dev", ...ports], { cwd: place.dir });
    await dev.prints(/drover is ready/);
  };

  before(async () => {
    place = new Workplace();
    await start();
  });
  after(async () => {
    await dev[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  it("prints what to try next", () => {
    expect(dev.output).to.match(/export KUBECONFIG=\S+\.drover\/kubeconfig/);
    expect(dev.output).to.match(
      /kubectl apply --server-side --force-conflicts -f .*config\/samples/,
    );
  });

  it("keeps the first password where it says, for its owner alone", async () => {
    const file = place.state("bootstrap-password");
    const secret = ["secret", "-n", "cattle-system", "bootstrap-secret", "-o"];

    const { stdout } = await kubectl("get", ...secret, "jsonpath={.data.bootstrapPassword}");

    expect(dev.output).to.contain(`cat ${file} `);
    const password = readFileSync(file, "utf8").trim();
    expect(password).to.equal(Buffer.from(stdout, "base64").toString());
    expect(dev.output).to.not.contain(password);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it("serves health on the https port", async () => {
    const [url = ""] = await dev.prints(/https:\/\/127\.0\.0\.1:\d+/);

    const answers = await Promise.all(["/healthz", "/readyz"].map((path) => ask(url + path)));

    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it("has the CRDs with their printer columns", async () => {
    await kubectl("apply", "-f", join(samples, "50-settings.yaml"));

    const { stdout, code } = await kubectl("get", "settings.management.cattle.io");

    expect(code, stdout).to.equal(0);
    expect(stdout.split("\n")[0]).to.match(/^NAME\s+VALUE/);
  });

  it("purges a token of 10 s within 2 s of its end, and says so in an Event", async () => {
    const how = ["--server-side", "--force-conflicts"];
    const applied = await kubectl("apply", ...how, "-f", samples);
    expect(applied.code, applied.stderr).to.equal(0);
    const created = await kubectl(
      "get",
      "token",
      "token-ten-seconds",
      "-o",
      "jsonpath={.metadata.creationTimestamp}",
    );
    const end = Date.parse(created.stdout) + 10_000;

    const waited = await kubectl(
      "wait",
      "--for=delete",
      "token/token-ten-seconds",
      "--timeout=30s",
    );
    const late = Date.now() - end;
    const reason = await eventually(
      "Event",
      async () => {
        const told = await kubectl(
          "get",
          "events",
          "-A",
          "--field-selector",
          "involvedObject.name=token-ten-seconds",
          "-o",
          "jsonpath={.items[*].reason}",
        );
        return told.stdout === "" ? undefined : told.stdout;
      },
      10_000,
    );

    expect(waited.code, waited.stderr).to.equal(0);
    expect(late).to.be.within(-1000, 2000);
    expect(reason).to.equal("TokenExpired");
  });

  it("keeps its data over a restart, and Ctrl-C leaves no process", async () => {
    dev.kill("SIGINT");
    expect(await dev.ended()).to.equal(0);
    expect(place.processes()).to.deep.equal([]);

    await start();
    const { stdout } = await kubectl("get", "settings.management.cattle.io", "-o", "name");

    expect(stdout).to.not.equal("");
  });

  it("ends with exit code 0 some 3 s after a feature changed that needs a restart", async () => {
    const begin = performance.now();
    const value = (on: boolean | null): readonly string[] => [
      ...["patch", "features.management.cattle.io", "scim", "--type=merge", "-p"],
      JSON.stringify({ spec: { value: on } }),
    ];
    await kubectl(...value(true));

    await dev.prints(/this process ends.*feature-restart|feature-restart.*this process ends/);
    expect(await dev.ended()).to.equal(0);
    expect(performance.now() - begin).to.be.within(3_000, 15_000);
    await start();
    await kubectl(...value(true)); // what it runs with now
    expect((await kubectl("get", "features.management.cattle.io", "scim")).code).to.equal(0);
  });

  it("ends in order amid a purge, and is ready again within 15 s", async () => {
    const ending = Array.from({ length: 300 }, (_, index) => expiringToken(`token-crowd-${index}`));
    const list = place.state("crowd.json");
    writeFileSync(list, JSON.stringify({ apiVersion: "v1", kind: "List", items: ending }));
    const applied = await kubectl("create", "-f", list);
    expect(applied.code, applied.stderr).to.equal(0);

    dev.kill("SIGINT");
    expect(await dev.ended()).to.equal(0);
    const begin = performance.now();
    await start();

    expect(dev.output).to.not.contain("could not release the lease");
    expect(performance.now() - begin).to.be.lessThan(15_000);
  });

  it("names the process of the control plane that ended, and fails", async () => {
    const [etcd = ""] = place.processes().filter((line) => /\/etcd --/.test(line));

    process.kill(Number.parseInt(etcd, 10), "SIGKILL");

    await dev.prints(/drover: .*etcd/, 10_000);
    expect(await dev.ended()).to.equal(1);
    await start();
  });

  it("leaves no process when it is killed", async () => {
    dev.kill("SIGKILL");

    await eventually(
      "end of every process",
      () => (place.processes().length === 0 ? true : undefined),
      15_000,
      () => place.processes().join("\n"),
    );
  });

  it("does not wait for the lease of a process that was killed", async () => {
    const begin = performance.now();
    await start();

    expect(performance.now() - begin).to.be.lessThan(20_000);
  });

  it("needs no control plane programs when the cluster is the user's own", async () => {
    await using second = startDrover(
      ["dev", ...ports, "--kubeconfig", place.state("kubeconfig"), "--dir", "nowhere"],
      { cwd: place.dir, env: { PATH: place.dir, XDG_CACHE_HOME: place.dir } },
    );

    await second.prints(/another process leads/);
    expect(existsSync(join(place.dir, "nowhere"))).to.equal(false);
  });
});
