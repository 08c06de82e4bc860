import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { testEnv } from "@drover/env";
import { expect } from "chai";
import { connect } from "../connect.ts";
import type { ApiError } from "../errors.ts";
import {
  aConfigMap,
  ConfigMap,
  fail,
  json,
  loopback,
  rejection,
} from "../loopback.test.support.ts";
import { loadConfig } from "./load.ts";

const here = { namespace: "default" };
const run = promisify(execFile);

describe("exec plug-ins", function () {
  this.timeout(20_000); // loading client-node takes half a second on an idle machine

  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "plug-in-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A kubeconfig beside an executable `plugin` that runs the script. */
  async function withPlugin(script: string, server: string, exec: object = {}): Promise<string> {
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
        clusters: [{ name: "a", cluster: { server } }],
        users: [{ name: "me", user: { exec: { command: "./plugin.cjs", ...exec } } }],
        contexts: [{ name: "a", context: { cluster: "a", user: "me" } }],
      }),
    );
    return path;
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

  it("give client certificates", async () => {
    const kubeconfig = await withPlugin(
      `console.log(JSON.stringify({ kind: "ExecCredential", status: { clientCertificateData: "C", clientKeyData: "K" } }));`,
      "https://a",
    );
    const { credentials } = await loadConfig({ kubeconfig });
    if (typeof credentials !== "function") throw new Error("the credentials are no function");

    expect(await credentials({ force: false })).to.include({ cert: "C", key: "K" });
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
      `the plug-in ./plugin.cjs of user "me" (context "a") gave no credentials: log in first; see example.com`,
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

  it("that do not exist are named", async () => {
    const kubeconfig = await withPlugin("", "http://127.0.0.1:1", { command: "no-such-plugin" });
    await using client = connect(await loadConfig({ kubeconfig }), { kinds: [ConfigMap] });

    expect(await rejection(client.get(ConfigMap, "a", here)))
      .property("message")
      .contains("the plug-in no-such-plugin")
      .and.contains("ENOENT");
  });

  describe("alone load client-node", () => {
    const kube = new URL("../index.js", import.meta.url).href;
    const script = `
      import { registerHooks } from "node:module";
      const loaded = new Set();
      registerHooks({ resolve(name, context, next) { loaded.add(name); return next(name, context); } });
      const { connect, loadConfig } = await import(${JSON.stringify(kube)});
      const client = connect(await loadConfig({ kubeconfig: process.argv[2] }));
      await client.request({ method: "GET", path: "/version" });
      await client[Symbol.asyncDispose]();
      const has = (part) => [...loaded].some((name) => name.startsWith(part));
      console.log(JSON.stringify([has("undici/"), has("@kubernetes/client-node")]));`;

    async function loadedBy(kubeconfig: string): Promise<unknown> {
      const file = join(folder, "main.mjs");
      await writeFile(file, script);
      const { stdout } = await run(process.execPath, [file, kubeconfig]);
      return JSON.parse(stdout);
    }

    it("while a config with a client certificate does not", async function () {
      this.timeout(60_000);
      const { kubeconfigPath } = await testEnv();

      expect(await loadedBy(kubeconfigPath)).to.deep.equal([true, false]);
    });

    it("when they are used", async () => {
      await using server = await loopback((response) => json(response, {}));

      expect(await loadedBy(await withPlugin(counting, server.url))).to.deep.equal([true, true]);
    });
  });
});
