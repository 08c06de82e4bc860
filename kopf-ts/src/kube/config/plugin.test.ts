import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { testEnv } from "@drover/env";
import { expect } from "chai";
import { connect } from "../connect.ts";
import { json, loopback, rejection } from "../loopback.test.support.ts";
import { loadConfig } from "./load.ts";

const run = promisify(execFile);

/** A kubeconfig whose user has the fields given. */
function kubeconfig(server: string, user: object): string {
  return JSON.stringify({
    "current-context": "a",
    clusters: [{ name: "a", cluster: { server } }],
    users: [{ name: "me", user }],
    contexts: [{ name: "a", context: { cluster: "a", user: "me" } }],
  });
}

const provider = { "auth-provider": { name: "azure", config: { "access-token": "t" } } };
const script = `console.log(JSON.stringify({ status: { token: "t" } }))`;
const plugin = { exec: { command: process.execPath, args: ["-e", script] } };

describe("auth-providers", function () {
  this.timeout(20_000); // loading client-node takes half a second on an idle machine

  it("give tokens", async () => {
    await using server = await loopback((response) => json(response, {}));
    const text = kubeconfig(server.url, provider);
    await using client = connect(await loadConfig({ text, trusted: true }));

    await client.request({ method: "GET", path: "/version" });

    expect(server.seen[0]?.headers.authorization).to.equal("Bearer t");
  });

  it("fail with what they said", async () => {
    const expired = { "access-token": "s3cret", "expires-on": "1" };
    const text = kubeconfig("https://a", { "auth-provider": { name: "azure", config: expired } });
    await using client = connect(await loadConfig({ text, trusted: true }));

    const error = await rejection(client.request({ method: "GET", path: "/version" }));

    expect(error).to.include({ code: 0, reason: "NoCredentials" });
    expect(error)
      .property("message")
      .contains(
        `the auth-provider azure of user "me" (context "a") gave no credentials: Token is expired!`,
      );
  });

  it("never make us anonymous when they are unknown or have no token", async () => {
    const text = kubeconfig("https://a", { "auth-provider": { name: "unheard-of" } });
    await using client = connect(await loadConfig({ text, trusted: true }));

    const error = await rejection(client.request({ method: "GET", path: "/version" }));

    expect(error).to.include({ code: 0, reason: "NoCredentials" });
    expect(error)
      .property("message")
      .contains("the auth-provider unheard-of of user")
      .and.contains("it knows no token");
  });

  it("fail without secrets, also in what is said of causes", async () => {
    const config = { "cmd-path": "/bin/false", "cmd-args": "--token=s3cret" };
    const text = kubeconfig("https://a", { "auth-provider": { name: "gcp", config } });
    await using client = connect(await loadConfig({ text, trusted: true }));

    const error = await rejection(client.request({ method: "GET", path: "/version" }));

    expect(error).to.include({ code: 0, reason: "NoCredentials" });
    expect(inspect(error, { depth: 10 })).not.to.contain("s3cret");
  });

  describe("alone load client-node", () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "loaded-"));
    });
    afterEach(() => rm(folder, { recursive: true }));

    const kube = new URL("../index.js", import.meta.url).href;
    const main = `
      import { registerHooks } from "node:module";
      const loaded = new Set();
      registerHooks({ resolve(name, context, next) { loaded.add(name); return next(name, context); } });
      const { connect, loadConfig } = await import(${JSON.stringify(kube)});
      const client = connect(await loadConfig({ kubeconfig: process.argv[2] }));
      await client.request({ method: "GET", path: "/version" });
      await client[Symbol.asyncDispose]();
      const has = (part) => [...loaded].some((name) => name.startsWith(part));
      console.log(JSON.stringify([has("undici/"), has("@kubernetes/client-node")]));`;

    async function loadedBy(path: string): Promise<unknown> {
      const file = join(folder, "main.mjs");
      await writeFile(file, main);
      const { stdout } = await run(process.execPath, [file, path]);
      return JSON.parse(stdout);
    }

    it("while a config with a client certificate does not", async function () {
      this.timeout(60_000);
      const { kubeconfigPath } = await testEnv();

      expect(await loadedBy(kubeconfigPath)).to.deep.equal([true, false]);
    });

    for (const [name, user, expected] of [
      ["nor does an exec plug-in", plugin, false],
      ["when they are used", provider, true],
    ] as const) {
      it(name, async () => {
        await using server = await loopback((response) => json(response, {}));
        const path = join(folder, "config");
        await writeFile(path, kubeconfig(server.url, user));

        expect(await loadedBy(path)).to.deep.equal([true, expected]);
      });
    }
  });
});
