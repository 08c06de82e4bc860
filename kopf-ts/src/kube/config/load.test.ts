import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect } from "chai";
import { messageOf } from "../../base/index.ts";
import { connect } from "../connect.ts";
import { rejection } from "../loopback.test.support.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { Credentials } from "./credentials.ts";
import { loadConfig } from "./load.ts";

const pem = (text: string): string => `-----BEGIN ${text}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A kubeconfig of one cluster, user and context, all called `name`. */
function kubeconfig(name: string, user: object = {}, cluster: object = {}): string {
  return JSON.stringify({
    "current-context": name,
    clusters: [{ name, cluster: { server: `https://${name}:6443`, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `${name}-space` } }],
  });
}

function credentialsOf({ credentials }: ClusterConfig, force = false): Promise<Credentials> {
  if (typeof credentials !== "function") throw new Error("the credentials are no function");
  return credentials({ force });
}

describe("loadConfig", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  }

  describe("looks", () => {
    it("into the file that is named, before everything else", async () => {
      const path = await write("a", kubeconfig("a"));
      const other = await write("b", kubeconfig("b"));

      const config = await loadConfig({ kubeconfig: path, env: { KUBECONFIG: other } });

      expect(config).to.include({ server: "https://a:6443", context: "a", namespace: "a-space" });
    });

    it("into all files of KUBECONFIG, of which some may be missing", async () => {
      const env = {
        KUBECONFIG: [
          join(folder, "missing"),
          await write("a", kubeconfig("a")),
          "",
          await write("b", kubeconfig("b")),
        ].join(":"),
      };

      expect(await loadConfig({ env })).to.include({ server: "https://a:6443" });
      expect(await loadConfig({ env, context: "b" })).to.include({ server: "https://b:6443" });
    });

    it("into ~/.kube/config in the end", async () => {
      await mkdir(join(folder, ".kube"));
      await write(".kube/config", kubeconfig("home"));

      expect(await loadConfig({ env: { HOME: folder } })).to.include({ context: "home" });
    });

    it("at the Pod it runs in before ~/.kube/config, unless a context is named", async () => {
      await mkdir(join(folder, ".kube"));
      await write(".kube/config", kubeconfig("home"));
      const env = {
        HOME: folder,
        KUBERNETES_SERVICE_HOST: "10.0.0.1",
        KUBERNETES_SERVICE_PORT: "443",
      };

      expect(await rejection(loadConfig({ env })))
        .property("message")
        .match(/^this is a Pod, but its service account cannot be used: /);
      expect(await loadConfig({ env, context: "home" })).to.include({ context: "home" });
    });

    it("into the text that is given", async () => {
      expect(await loadConfig({ text: kubeconfig("a") })).to.include({ context: "a" });
    });
  });

  describe("reads", () => {
    it("what the cluster says", async () => {
      const text = kubeconfig(
        "a",
        {},
        {
          "tls-server-name": "b",
          "insecure-skip-tls-verify": true,
          "proxy-url": "http://proxy:3128",
        },
      );

      expect(await loadConfig({ text })).to.include({
        tlsServerName: "b",
        insecureSkipTlsVerify: true,
        proxyUrl: "http://proxy:3128",
      });
    });

    it("certificates and keys out of the file itself", async () => {
      const config = await loadConfig({
        text: kubeconfig(
          "a",
          { "client-certificate-data": base64(pem("C")), "client-key-data": base64(pem("K")) },
          { "certificate-authority-data": base64(pem("A")) },
        ),
      });

      expect(await credentialsOf(config)).to.include({
        ca: pem("A"),
        cert: pem("C"),
        key: pem("K"),
      });
    });

    it("certificates, keys and tokens out of files beside the kubeconfig, each time anew", async () => {
      for (const name of ["ca", "cert", "key"]) await write(name, pem(name));
      await write("token", "one\n");
      const path = await write(
        "config",
        kubeconfig(
          "a",
          {
            "client-certificate": "cert",
            "client-key": join(folder, "key"),
            token: "old",
            tokenFile: "./token",
          },
          { "certificate-authority": "ca" },
        ),
      );
      const config = await loadConfig({ kubeconfig: path });
      const before = await credentialsOf(config);

      await write("token", "two\n");
      await write("cert", pem("new"));
      const after = await credentialsOf(config);

      expect(before).to.include({
        ca: pem("ca"),
        cert: pem("cert"),
        key: pem("key"),
        token: "one",
      });
      expect(after).to.include({ cert: pem("new"), token: "two" });
    });

    it("names and passwords, and tokens that stand in the file", async () => {
      const text = kubeconfig("a", { username: "me", password: "pw", token: "t" });

      expect(await credentialsOf(await loadConfig({ text }))).to.include({
        username: "me",
        password: "pw",
        token: "t",
      });
    });

    it("whom to act for", async () => {
      const text = kubeconfig("a", {
        as: "bob",
        "as-uid": "7",
        "as-groups": ["x", "y"],
        "as-user-extra": { scopes: ["z"] },
      });

      expect((await loadConfig({ text })).impersonate).to.deep.equal({
        user: "bob",
        uid: "7",
        groups: ["x", "y"],
        extra: { scopes: ["z"] },
      });
    });

    it("a context without a user", async () => {
      const text = `
current-context: a
clusters: [{name: a, cluster: {server: "http://127.0.0.1:8001"}}]
contexts: [{name: a, context: {cluster: a}}]
`;

      const config = await loadConfig({ text });

      expect(config.server).to.equal("http://127.0.0.1:8001");
      expect((await credentialsOf(config)).token).to.equal(undefined);
    });
  });

  describe("explains", () => {
    const contexts = (name: string, user: string): string =>
      JSON.stringify({
        clusters: [{ name: "a", cluster: {} }],
        contexts: [{ name, context: { cluster: "a", user } }],
      });

    for (const [name, text, options, message] of [
      [
        "no current context",
        contexts("one", ""),
        {},
        /has no current-context; choose one of its contexts: one$/,
      ],
      [
        "a wrong context",
        contexts("one", ""),
        { context: "two" },
        /has no context "two"; choose one of its contexts: one$/,
      ],
      ["no contexts at all", "{}", {}, /has no current-context; it has no contexts$/],
      [
        "a missing user",
        contexts("one", "me"),
        { context: "one" },
        /context "one" names the user "me", which is not in it$/,
      ],
      ["a missing server", contexts("one", ""), { context: "one" }, /cluster "a" has no server$/],
      [
        "a wrong server",
        kubeconfig("a", {}, { server: "a:6443" }),
        {},
        /cluster "a" has the server "a:6443"; it must be https:/,
      ],
      [
        "data that is no PEM",
        kubeconfig("a", { "client-key-data": base64("s3cret") }),
        {},
        /client-key-data of user "a" is no base64 of a PEM file$/,
      ],
      [
        "a proxy-url with a password that is not encoded",
        kubeconfig("a", {}, { "proxy-url": "http://u:%zzs3cret@proxy:3128" }),
        {},
        /cluster "a": proxy-url has a user or password with a % that encodes nothing; write it %25$/,
      ],
      [
        "a proxy-url of another sort",
        kubeconfig("a", {}, { "proxy-url": "socks5://u:s3cret@proxy:3128" }),
        {},
        /cluster "a": proxy-url is of the scheme socks5:, but only http/,
      ],
      [
        "groups to act with of nobody",
        kubeconfig("a", { "as-groups": ["system:masters"] }),
        {},
        /user "a" has as-uid, as-groups or as-user-extra, but no as: nobody could be impersonated$/,
      ],
      [
        "a token that is a number",
        kubeconfig("a", { token: 12345678 }),
        {},
        /token of user "a" is no text; put it in quotes$/,
      ],
    ] as const) {
      it(name, async () => {
        const path = await write("config", text);

        const error = (await rejection(loadConfig({ kubeconfig: path, ...options }))) as Error;

        expect(error.name).to.equal("ConfigError");
        expect(error.message).to.match(message).and.contain(path);
        expect(inspect(error)).not.to.match(/s3cret|12345678/);
      });
    }

    it("a context that names a missing cluster", async () => {
      const text = "contexts: [{name: a, context: {cluster: b}}]\ncurrent-context: a";

      expect(await rejection(loadConfig({ text }))).to.match(
        /context "a" names the cluster "b", which is not in it/,
      );
    });

    it("a file that does not exist", async () => {
      const path = join(folder, "missing");

      expect(await rejection(loadConfig({ kubeconfig: path }))).to.include({
        message: `cannot read the kubeconfig ${path}: it does not exist`,
      });
      expect(await rejection(loadConfig({ env: { KUBECONFIG: path } }))).to.include({
        message: `KUBECONFIG names ${path}, but there is no such file`,
      });
      expect(await rejection(loadConfig({ env: { HOME: folder } }))).to.include({
        message: `cannot read the kubeconfig ${join(folder, ".kube/config")}: it does not exist and KUBECONFIG is not set; name a kubeconfig`,
      });
    });

    it("a folder in place of a file", async () => {
      expect(await rejection(loadConfig({ kubeconfig: folder }))).to.include({
        message: `cannot read the kubeconfig ${folder}: it is a folder, not a file`,
      });
    });

    it("an empty name, which is not that of the current folder", async () => {
      const error = (await rejection(loadConfig({ kubeconfig: "" }))) as Error;

      expect(error.name).to.equal("ConfigError");
      expect(error.message).to.match(/^the name of the kubeconfig is empty; /);
    });

    it("a missing or empty token file, when it is read", async () => {
      const path = await write("config", kubeconfig("a", { tokenFile: "token" }));
      const config = await loadConfig({ kubeconfig: path });
      const missing = await rejection(credentialsOf(config));
      await write("token", "\n");
      const empty = await rejection(credentialsOf(config));

      expect(missing).to.include({
        message: `${path}: tokenFile of user "a" is ${join(folder, "token")}, but it does not exist`,
      });
      expect(empty).to.include({ message: `${path}: tokenFile of user "a", token, is empty` });
    });

    it("a missing token file in one sentence, in the end", async () => {
      const path = await write("config", kubeconfig("a", { tokenFile: "token" }));
      await using client = connect(await loadConfig({ kubeconfig: path }));

      const text = messageOf(await rejection(client.request({ method: "GET", path: "/version" })));

      const sentence = `tokenFile of user "a" is ${join(folder, "token")}, but it does not exist`;
      expect(text).to.equal(
        `GET /version: no credentials for https://a:6443: ${path}: ${sentence}`,
      );
    });

    it("a certificate file that is none, when it is read", async () => {
      await write("cert", "hello");
      await write("key", pem("key"));
      const files = { "client-certificate": "cert", "client-key": "key" };
      const path = await write("config", kubeconfig("a", files));
      const config = await loadConfig({ kubeconfig: path });

      expect(await rejection(credentialsOf(config)))
        .property("message")
        .match(/client-certificate of user "a", cert, is no PEM file$/);
    });
  });

  describe("does not trust a kubeconfig given as text", () => {
    for (const [name, user, cluster] of [
      ["tokenFile", { tokenFile: "/etc/passwd" }, {}],
      ["client-key", { "client-key": "/etc/passwd" }, {}],
      ["certificate-authority", {}, { "certificate-authority": "/etc/passwd" }],
      ["exec", { exec: { command: "sh" } }, {}],
      ["auth-provider", { "auth-provider": { name: "oidc" } }, {}],
    ] as const) {
      it(`with ${name}`, async () => {
        const text = kubeconfig("a", user, cluster);

        expect(await rejection(loadConfig({ text })))
          .property("message")
          .contains(`uses ${name};`);
        expect(await loadConfig({ text, trusted: true })).to.include({ context: "a" });
      });
    }
  });

  it("shows no secret to whoever prints the config or the client", async () => {
    const config = await loadConfig({
      text: kubeconfig(
        "a",
        {
          token: "s3cret",
          password: "s3cret",
          username: "u",
          "client-key-data": base64(pem("s3cret")),
        },
        { "proxy-url": "http://u:s3cret@proxy:3128" },
      ),
    });
    const client = connect(config);

    for (const printed of [
      inspect(config, { depth: 10, showHidden: true }),
      inspect(client, { depth: 10, showHidden: true }),
      JSON.stringify([config, client, client.as({ user: "bob" })]),
    ]) {
      expect(printed)
        .not.to.contain("s3cret")
        .and.not.to.contain(base64(pem("s3cret")));
    }
    await client[Symbol.asyncDispose]();
  });
});
