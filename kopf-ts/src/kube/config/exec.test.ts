import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect } from "chai";
import { messageOf } from "../../base/index.ts";
import { connect } from "../connect.ts";
import type { ApiError } from "../errors.ts";
import {
  aConfigMap,
  ConfigMap,
  fail,
  json,
  loopback,
  ManualClock,
  rejection,
  until,
} from "../loopback.test.support.ts";
import type { Credentials } from "./credentials.ts";
import { execSource, parseExecCredential } from "./exec.ts";
import { parseKubeconfig } from "./kubeconfig.ts";
import { loadConfig } from "./load.ts";
import { select } from "./select.ts";

const here = { namespace: "default" };

describe("exec plug-ins", function () {
  this.timeout(20_000); // starting Node takes a while on a busy machine

  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "plug-in-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A kubeconfig beside an executable `plugin` that runs the script. */
  async function withPlugin(
    script: string,
    server: string,
    exec: object = {},
    cluster: object = {},
  ): Promise<string> {
    const plugin = join(folder, "plugin.cjs");
    await writeFile(
      plugin,
      `#!${process.execPath}\nconst folder = ${JSON.stringify(folder)};\n${script}`,
    );
    await chmod(plugin, 0o700);
    const path = join(folder, "config");
    await writeFile(
      path,
      JSON.stringify({
        "current-context": "a",
        clusters: [{ name: "a", cluster: { server, ...cluster } }],
        users: [{ name: "me", user: { exec: { command: "./plugin.cjs", ...exec } } }],
        contexts: [{ name: "a", context: { cluster: "a", user: "me" } }],
      }),
    );
    return path;
  }

  async function credentialsOf(kubeconfig: string): Promise<Credentials> {
    const { credentials } = await loadConfig({ kubeconfig });
    if (typeof credentials !== "function") throw new Error("the credentials are no function");
    return credentials({ force: false });
  }

  /** A source with a clock of ours. */
  async function sourceOf(kubeconfig: string, clock: ManualClock) {
    const text = await readFile(kubeconfig, "utf8");
    const selection = select(await parseKubeconfig(text, kubeconfig), undefined);
    const { exec } = selection.user.entry;
    if (exec === undefined) throw new Error("the user has no plug-in");
    return execSource(exec, selection, async () => undefined, clock);
  }

  /** Never ends, nor does the program it starts; tells both pids. */
  const hanging = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
    console.error("waiting for a browser");
    require("node:fs").writeFileSync(folder + "/pids.tmp", process.pid + " " + child.pid);
    require("node:fs").renameSync(folder + "/pids.tmp", folder + "/pids");
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);`;

  /** The pids of the hanging plug-in and its child, once they run. */
  async function pids(): Promise<readonly number[]> {
    for (;;) {
      const text = await readFile(join(folder, "pids"), "utf8").catch(() => "");
      if (text !== "") return text.split(" ").map(Number);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Whether a process runs; one that was killed and not yet collected does not. */
  function runs(pid: number): boolean {
    try {
      return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  }

  /** Prints token-1 at its first run, token-2 at its second, and so on. */
  const counting = `
    const { appendFileSync, readFileSync } = require("node:fs");
    appendFileSync(folder + "/runs", "x");
    const token = "token-" + readFileSync(folder + "/runs").length;
    console.log(JSON.stringify({ kind: "ExecCredential", status: { token } }));`;

  it("give tokens, and are run again when these are refused", async () => {
    await using server = await loopback((response, { headers }) => {
      if (headers.authorization === "Bearer token-2") json(response, aConfigMap());
      else fail(response, 401, "Unauthorized");
    });
    const kubeconfig = await withPlugin(counting, server.url);
    await using client = connect(await loadConfig({ kubeconfig }), { kinds: [ConfigMap] });

    await client.get(ConfigMap, "a", here);
    await client.get(ConfigMap, "a", here);

    const tokens = server.seen.map(({ headers }) => headers.authorization);
    expect(tokens).to.deep.equal(["Bearer token-1", "Bearer token-2", "Bearer token-2"]);
    expect(await readFile(join(folder, "runs"), "utf8")).to.equal("xx");
  });

  it("are found beside the kubeconfig and told what is wanted", async () => {
    await using server = await loopback((response) => json(response, aConfigMap()));
    const script = `
      const { env, argv } = process;
      require("node:fs").writeFileSync(folder + "/told", JSON.stringify([env.KUBERNETES_EXEC_INFO, env.MINE, argv.slice(2)]));
      console.log(JSON.stringify({ kind: "ExecCredential", status: { token: "t" } }));`;
    const kubeconfig = await withPlugin(script, server.url, {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      args: ["get", "token"],
      env: [{ name: "MINE", value: "yes" }],
      provideClusterInfo: true,
    });
    await using client = connect(await loadConfig({ kubeconfig }), { kinds: [ConfigMap] });

    await client.get(ConfigMap, "a", here);

    const [info, mine, args] = JSON.parse(await readFile(join(folder, "told"), "utf8"));
    expect(JSON.parse(info)).to.deep.equal({
      apiVersion: "client.authentication.k8s.io/v1beta1",
      kind: "ExecCredential",
      spec: { interactive: false, cluster: { server: server.url } },
    });
    expect([mine, args]).to.deep.equal(["yes", ["get", "token"]]);
  });

  it("are told all about the cluster that kubectl tells them", async () => {
    const pem = "-----BEGIN CERTIFICATE-----\n";
    await writeFile(join(folder, "ca"), pem);
    const script = `
      require("node:fs").writeFileSync(folder + "/told", process.env.KUBERNETES_EXEC_INFO);
      console.log(JSON.stringify({ kind: "ExecCredential", status: { token: "t" } }));`;
    const kubeconfig = await withPlugin(
      script,
      "https://a",
      { provideClusterInfo: true },
      {
        "certificate-authority": "ca",
        "tls-server-name": "b",
        "insecure-skip-tls-verify": true,
        "proxy-url": "http://proxy:3128",
        "disable-compression": true,
        extensions: [
          { name: "other", extension: {} },
          { name: "client.authentication.k8s.io/exec", extension: { audience: ["x"] } },
        ],
      },
    );

    await credentialsOf(kubeconfig);

    const { spec } = JSON.parse(await readFile(join(folder, "told"), "utf8"));
    expect(spec.cluster).to.deep.equal({
      server: "https://a",
      "tls-server-name": "b",
      "insecure-skip-tls-verify": true,
      "certificate-authority-data": Buffer.from(pem).toString("base64"),
      "proxy-url": "http://proxy:3128",
      "disable-compression": true,
      config: { audience: ["x"] },
    });
  });

  it("give client certificates", async () => {
    const kubeconfig = await withPlugin(
      `console.log(JSON.stringify({ kind: "ExecCredential", status: { clientCertificateData: "C", clientKeyData: "K" } }));`,
      "https://a",
    );

    expect(await credentialsOf(kubeconfig)).to.include({ cert: "C", key: "K" });
  });

  it("fail with what they said and how to install them", async () => {
    const kubeconfig = await withPlugin(
      `console.error("log in first"); process.exit(1);`,
      "http://127.0.0.1:1",
      { installHint: "see example.com" },
    );
    await using client = connect(await loadConfig({ kubeconfig }), { kinds: [ConfigMap] });

    const error = (await rejection(client.get(ConfigMap, "a", here))) as ApiError;

    expect(error).to.include({ code: 0, reason: "NoCredentials" });
    expect(error.message).to.contain("no credentials for http://127.0.0.1:1");
    expect(error.message).to.contain(
      `the plug-in ./plugin.cjs of user "me" (context "a") gave no credentials: it ended with 1: log in first; see example.com`,
    );
  });

  it("fail without a word of what they printed when that is half a token", async () => {
    const kubeconfig = await withPlugin(
      `console.log('{"status":{"token":"s3cret"');`,
      "http://127.0.0.1:1",
    );
    await using client = connect(await loadConfig({ kubeconfig }), { kinds: [ConfigMap] });

    const error = await rejection(client.get(ConfigMap, "a", here));

    expect(error).property("message").contains("printed no valid ExecCredential");
    expect(inspect(error, { depth: 10 })).not.to.contain("s3cret");
  });

  for (const [name, script, text] of [
    [
      "fail without a word",
      `process.exit(3);`,
      "gave no credentials: it ended with 3, and did not say why; see example.com",
    ],
    ["print nothing", `console.log();`, "gave no credentials: it printed nothing; see example.com"],
  ] as const) {
    it(`that ${name} are told once, with that`, async () => {
      const hint = { installHint: "see example.com" };
      const kubeconfig = await withPlugin(script, "http://127.0.0.1:1", hint);
      await using client = connect(await loadConfig({ kubeconfig }), { kinds: [ConfigMap] });

      const told = messageOf(await rejection(client.get(ConfigMap, "a", here)));

      expect(told.endsWith(`(context "a") ${text}`), told).to.equal(true);
      expect(told.split("gave no credentials")).to.have.length(2);
    });
  }

  it("that may not be run are named", async () => {
    const kubeconfig = await withPlugin("", "http://127.0.0.1:1");
    await chmod(join(folder, "plugin.cjs"), 0o600);

    expect(await rejection(credentialsOf(kubeconfig)))
      .property("message")
      .contains("gave no credentials: it is no program that may be run (EACCES)");
  });

  it("that do not exist are named", async () => {
    const kubeconfig = await withPlugin("", "http://127.0.0.1:1", { command: "no-such-plugin" });
    await using client = connect(await loadConfig({ kubeconfig }), { kinds: [ConfigMap] });

    expect(await rejection(client.get(ConfigMap, "a", here)))
      .property("message")
      .contains("the plug-in no-such-plugin")
      .and.contains("gave no credentials: there is no such program (ENOENT)");
  });

  it("that hang are killed after a minute with all they started, and named", async () => {
    const clock = new ManualClock();
    const source = await sourceOf(await withPlugin(hanging, "https://a"), clock);

    const failed = rejection(source({ force: false }));
    const started = await pids();
    expect(clock.waiting()).to.deep.equal([60_000]);
    clock.advance(60_000);
    const error = (await failed) as Error;

    expect(error.message).to.contain(
      `the plug-in ./plugin.cjs of user "me" (context "a") gave no credentials: it did not end within 60 s`,
    );
    await until(() => !started.some(runs));
  });

  it("that hang do not outlive their client", async () => {
    const kubeconfig = await withPlugin(hanging, "http://127.0.0.1:1");
    const client = connect(await loadConfig({ kubeconfig }), { kinds: [ConfigMap] });

    const failed = rejection(client.get(ConfigMap, "a", here));
    const started = await pids();
    await client[Symbol.asyncDispose]();

    expect(await failed).to.include({ code: 0, reason: "Closed" });
    await until(() => !started.some(runs));
  });

  it("are asked once, and again half a minute before their credentials expire", async () => {
    const clock = new ManualClock();
    const expiring = counting.replace(
      "status: { token }",
      `status: { token, expirationTimestamp: new Date(${clock.now() + 100_000}).toISOString() }`,
    );
    const source = await sourceOf(await withPlugin(expiring, "https://a"), clock);

    const first = await source({ force: false });
    clock.advance(69_999);
    const second = await source({ force: false });
    clock.advance(1);
    const third = await source({ force: false });

    expect(first).to.include({ token: "token-1", expiresAt: clock.now() + 30_000 });
    expect(second).to.equal(first);
    expect(third).to.include({ token: "token-2" });
  });

  it("that print without end are stopped", async () => {
    const script = `const print = () => process.stdout.write("x".repeat(1 << 16), print); print();`;
    const kubeconfig = await withPlugin(script, "https://a");

    expect(await rejection(credentialsOf(kubeconfig)))
      .property("message")
      .contains("it printed more than 1 MiB");
  });

  it("fail with the beginning of what they said, without its secrets", async () => {
    const script = `
      console.error("token=supersecret1 refused; password: supersecret2, Bearer supersecret3");
      console.error("eyJhbGciOi.supersecret4 " + "x y ".repeat(1 << 16));
      process.exit(1);`;
    const kubeconfig = await withPlugin(script, "https://a");

    const error = (await rejection(credentialsOf(kubeconfig))) as Error;

    expect(error.message).to.contain("token=<redacted> refused; password: <redacted>");
    expect(error.message.length).to.be.lessThan(2_000);
    expect(inspect(error, { depth: 10 })).not.to.contain("supersecret");
  });
});

describe("parseExecCredential", () => {
  const v1 = "client.authentication.k8s.io/v1";
  const parse = (value: unknown) => parseExecCredential(JSON.stringify(value), v1);

  it("reads everything there is", () => {
    const expirationTimestamp = "2026-01-01T00:00:00Z";
    const pair = { clientCertificateData: "C", clientKeyData: "K" };
    const status = { token: "t", ...pair, expirationTimestamp };

    expect(parse({ apiVersion: v1, kind: "ExecCredential", status })).to.deep.equal({
      token: "t",
      cert: "C",
      key: "K",
      expiresAt: Date.parse(expirationTimestamp),
    });
  });

  for (const [name, value, message] of [
    ["a list", [], "it printed no valid ExecCredential"],
    ["another kind", { kind: "Secret" }, "it printed no valid ExecCredential"],
    [
      "another apiVersion",
      { apiVersion: "client.authentication.k8s.io/v1beta1", status: { token: "s3cret" } },
      `it printed an ExecCredential of another apiVersion than ${v1}`,
    ],
    ["no status", { kind: "ExecCredential" }, "it printed an ExecCredential without a status"],
    ["an empty status", { status: {} }, "it printed neither a token nor a client certificate"],
    ["a token that is no text", { status: { token: 5 } }, "it printed a token that is no text"],
    [
      "a certificate without its key",
      { status: { token: "s3cret", clientCertificateData: "s3cret" } },
      "it printed a client certificate or its key, but not both",
    ],
    [
      "a time that is none",
      { status: { token: "s3cret", expirationTimestamp: "s3cret" } },
      "it printed an expirationTimestamp that is no time",
    ],
  ] as const) {
    it(`refuses ${name}`, () => expect(() => parse(value)).to.throw(message));
  }
});
