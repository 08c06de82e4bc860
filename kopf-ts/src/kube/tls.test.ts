import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Logger, silentLogger } from "../base/index.ts";
import type { Client, Impersonation } from "./client.ts";
import type { ClusterConfig } from "./config/cluster-config.ts";
import type { Credentials } from "./config/credentials.ts";
import { loadConfig } from "./config/load.ts";
import { connect } from "./connect.ts";
import type { ApiError } from "./errors.ts";
import { ManualClock, rejection, until } from "./loopback.test.support.ts";

interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Whom the API server takes us for. */
async function whoAmI(client: Client): Promise<UserInfo> {
  const { body } = await client.request({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
  });
  return JSON.parse(String(body)).status.userInfo;
}

describe("a real API server", function () {
  this.timeout(20_000);
  let plane: ControlPlane;
  let folder: string;
  before(async function () {
    this.timeout(90_000);
    plane = await testEnv();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tls-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Credentials that trust the control plane, with more. */
  const trusting = (more: Credentials = {}): ClusterConfig => ({
    server: plane.url,
    credentials: { ca: plane.ca, ...more },
  });

  describe("knows us", () => {
    it("by a client certificate", async () => {
      const identity = await plane.clientCertificate({ name: "jane", groups: ["dev", "ops"] });
      await using client = connect(trusting(identity));

      expect(await whoAmI(client)).to.deep.include({
        username: "jane",
        groups: ["dev", "ops", "system:authenticated"],
      });
    });

    it("by a bearer token", async () => {
      const namespace = await freshNamespace(plane);
      const token = await plane.serviceAccountToken(namespace, "robot");
      await using client = connect(trusting({ token }));

      expect(await whoAmI(client)).to.include({
        username: `system:serviceaccount:${namespace}:robot`,
      });
    });

    it("by a kubeconfig", async () => {
      await using client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));

      expect((await whoAmI(client)).groups).to.include("system:masters");
    });

    it("as nobody without credentials", async () => {
      await using client = connect(trusting());

      expect(await rejection(client.request({ method: "GET", path: "/api/v1/pods" })))
        .to.include({ code: 403 })
        .and.property("message")
        .contains('User "system:anonymous" cannot list resource "pods"');
    });
  });

  describe("takes us for somebody else", () => {
    let admin: Client;
    before(async () => {
      admin = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    });
    after(() => admin[Symbol.asyncDispose]());

    const everything: Impersonation = {
      user: "jörg 田中",
      uid: "u-1",
      groups: ["first group", "zweite", "système"],
      extra: { "example.com/Scopes": ["a", "b, c"], "with space(1)": ["d"] },
    };

    it("with uid, every group, and extra keys of any characters", async () => {
      const user = await whoAmI(admin.as(everything));

      expect(user).to.deep.equal({
        username: everything.user,
        uid: "u-1",
        groups: [...(everything.groups ?? []), "system:authenticated"],
        extra: { "example.com/scopes": ["a", "b, c"], "with space(1)": ["d"] },
      });
    });

    it("and for the last one named only", async () => {
      const user = await whoAmI(admin.as(everything).as({ user: "bob" }));

      expect(user).to.deep.equal({ username: "bob", groups: ["system:authenticated"] });
    });

    it("when the kubeconfig says so", async () => {
      const { kubeconfig } = plane;
      const text = kubeconfig.replace(/^( *)client-certificate-data:/m, "$1as: bob\n$&");
      expect(text).not.to.equal(kubeconfig);
      await using client = connect(await loadConfig({ text }));

      expect(await whoAmI(client)).to.include({ username: "bob" });
    });

    it("in streams, too", async () => {
      const request = { method: "GET", path: "/api/v1/pods?watch=1" } as const;

      expect(await rejection(admin.as({ user: "bob" }).stream(request)))
        .property("message")
        .contains('User "bob" cannot watch resource "pods"');
    });

    for (const [name, impersonation] of [
      ["no name, since that would be ourselves", { user: "" }],
      ["a line break in a name", { user: "bob\r\nAuthorization: Bearer x" }],
      ["a line break in a group", { user: "bob", groups: ["a\nb"] }],
    ] as const) {
      it(`but not with ${name}`, () => {
        expect(() => admin.as(impersonation))
          .to.throw()
          .and.include({ reason: "BadRequest" });
      });
    }

    for (const header of ["Authorization", "Impersonate-User", "impersonate-extra-x"]) {
      it(`but not by the raw header ${header}`, async () => {
        const request = { method: "GET", path: "/version", headers: { [header]: "x" } } as const;

        expect(await rejection(admin.request(request))).to.include({ reason: "BadRequest" });
      });
    }
  });

  describe("sees fresh credentials", () => {
    /** A kubeconfig whose certificate, key and token are files beside it. */
    async function withFiles(user: object): Promise<ClusterConfig> {
      const kubeconfig = join(folder, "config");
      await writeFile(join(folder, "ca.crt"), plane.ca);
      await writeFile(
        kubeconfig,
        JSON.stringify({
          "current-context": "a",
          clusters: [
            { name: "a", cluster: { server: plane.url, "certificate-authority": "ca.crt" } },
          ],
          users: [{ name: "a", user }],
          contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
        }),
      );
      return loadConfig({ kubeconfig });
    }

    it("a minute after a certificate was rotated, over new connections; the old ones end", async () => {
      const clock = new ManualClock();
      const write = async (name: string): Promise<void> => {
        const { cert, key } = await plane.clientCertificate({ name });
        await writeFile(join(folder, "tls.crt"), cert);
        await writeFile(join(folder, "tls.key"), key);
      };
      await write("old");
      const config = await withFiles({ "client-certificate": "tls.crt", "client-key": "tls.key" });
      const sockets: Socket[] = [];
      const dial = async ({ host, port }: { host: string; port: number }): Promise<Socket> => {
        sockets.push(connectTcp(port, host));
        return sockets.at(-1) as Socket;
      };
      await using client = connect(config, { clock, dial });
      expect(await whoAmI(client)).to.include({ username: "old" });
      const before = sockets.length;

      await write("new");
      expect(await whoAmI(client)).to.include({ username: "old" });
      clock.advance(60_000);
      while ((await whoAmI(client)).username !== "new") await new Promise(setImmediate);

      expect(sockets.length).to.be.greaterThan(before);
      await until(() => sockets.slice(0, before).every((socket) => socket.destroyed));
    });

    it("once a rotation that was half done is complete; until then the old ones count", async () => {
      const clock = new ManualClock();
      const warned: string[] = [];
      const logger: Logger = { ...silentLogger, warn: (message) => void warned.push(message) };
      const [old, fresh] = await Promise.all([
        plane.clientCertificate({ name: "old" }),
        plane.clientCertificate({ name: "new" }),
      ]);
      await writeFile(join(folder, "tls.crt"), old.cert);
      await writeFile(join(folder, "tls.key"), old.key);
      const config = await withFiles({ "client-certificate": "tls.crt", "client-key": "tls.key" });
      await using client = connect(config, { clock, logger });
      await whoAmI(client);

      await writeFile(join(folder, "tls.crt"), fresh.cert);
      clock.advance(60_000);
      while (warned.length === 0) expect(await whoAmI(client)).to.include({ username: "old" });
      await writeFile(join(folder, "tls.key"), fresh.key);
      clock.advance(60_000);
      while ((await whoAmI(client)).username !== "new") await new Promise(setImmediate);

      expect(warned).to.deep.equal(["credentials could not be read again"]);
    });

    it("at once when a token was refused and its file holds another", async () => {
      const namespace = await freshNamespace(plane);
      const token = await plane.serviceAccountToken(namespace, "robot");
      await writeFile(join(folder, "token"), "expired");
      const clock = new ManualClock();
      await using client = connect(await withFiles({ tokenFile: "token" }), { clock });
      const refused = (await rejection(whoAmI(client))) as ApiError;

      await writeFile(join(folder, "token"), `${token}\n`);
      clock.advance(1_000); // at most one forced reading per second
      const user = await whoAmI(client);

      expect(refused).to.include({ code: 401, reason: "Unauthorized" });
      expect(refused.message).to.contain(
        `${plane.url} does not accept our credentials (401 Unauthorized)`,
      );
      expect(user.username).to.contain(":robot");
    });
  });

  describe("never takes us for nobody since the key is that of another certificate", () => {
    const rsaKey = (): string =>
      generateKeyPairSync("rsa", { modulusLength: 2_048 })
        .privateKey.export({ type: "pkcs8", format: "pem" })
        .toString();
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const kubeconfig = (user: object): string =>
      JSON.stringify({
        "current-context": "a",
        clusters: [
          {
            name: "a",
            cluster: { server: plane.url, "certificate-authority-data": base64(plane.ca) },
          },
        ],
        users: [{ name: "me", user }],
        contexts: [{ name: "a", context: { cluster: "a", user: "me" } }],
      });

    for (const [name, keyOf] of [
      ["of another type", async () => rsaKey()],
      ["of the same type", async () => (await plane.clientCertificate({ name: "joe" })).key],
    ] as const) {
      it(`whose key is ${name}, in a kubeconfig`, async () => {
        const { cert } = await plane.clientCertificate({ name: "jane" });
        const text = kubeconfig({
          "client-certificate-data": base64(cert),
          "client-key-data": base64(await keyOf()),
        });

        const error = (await rejection(loadConfig({ text }))) as Error;

        expect(error.name).to.equal("ConfigError");
        expect(error.message).to.match(
          /: client-certificate-data and client-key-data of user "me" do not belong together/,
        );
      });
    }

    it("in files, as they are when they are read", async () => {
      const { cert } = await plane.clientCertificate({ name: "jane" });
      await writeFile(join(folder, "tls.crt"), cert);
      await writeFile(join(folder, "tls.key"), rsaKey());
      const path = join(folder, "config");
      await writeFile(
        path,
        kubeconfig({ "client-certificate": "tls.crt", "client-key": "tls.key" }),
      );
      await using client = connect(await loadConfig({ kubeconfig: path }));

      expect(await rejection(whoAmI(client)))
        .to.include({ code: 0, reason: "NoCredentials" })
        .and.property("message")
        .contains(`client-certificate and client-key of user "me" do not belong together`);
    });

    it("or there is none", async () => {
      const { cert } = await plane.clientCertificate({ name: "jane" });
      const text = kubeconfig({ "client-certificate-data": base64(cert) });

      expect(await rejection(loadConfig({ text })))
        .property("message")
        .match(/user "me" has client-certificate-data, but no client-key$/);
    });

    for (const [name, more, fault] of [
      ["another's", { key: rsaKey() }, "another's key"],
      ["missing", {}, "no key"],
    ] as const) {
      it(`in credentials that are written by hand, when it is ${name}`, async () => {
        const { cert } = await plane.clientCertificate({ name: "jane" });
        await using client = connect(trusting({ cert, ...more }));

        expect(await rejection(whoAmI(client)))
          .to.include({ code: 0, reason: "NoCredentials" })
          .and.property("message")
          .contains(`client-key cannot be used: the certificate has ${fault}`);
      });
    }
  });

  describe("is trusted", () => {
    it("only by who knows its authority", async () => {
      await using client = connect({ server: plane.url });

      const error = (await rejection(whoAmI(client))) as ApiError;

      expect(error).to.include({ code: 0, reason: "Untrusted" });
      expect(error.message).to.contain(
        `the certificate of ${plane.url} is not trusted: no authority that Node knows has signed it; give the server's ca`,
      );
    });

    it("not by who knows another, and is told where in the kubeconfig that is", async () => {
      const { cert } = await plane.clientCertificate({ name: "no authority" });
      const text = plane.kubeconfig.replace(
        /(certificate-authority-data: ).*/,
        `$1${Buffer.from(cert).toString("base64")}`,
      );
      await using client = connect(await loadConfig({ text }));

      const error = (await rejection(whoAmI(client))) as ApiError;

      expect(error).to.include({ code: 0, reason: "Untrusted" });
      expect(error.message).to.contain(
        `not trusted: it is not signed by the certificate-authority of cluster "${plane.name}" in the kubeconfig (`,
      );
      expect(error.message).not.to.contain("use-system-ca");
    });

    it("by whoever skips the check", async () => {
      await using client = connect({ server: plane.url, insecureSkipTlsVerify: true });

      expect(await rejection(whoAmI(client))).to.include({ code: 403 });
    });

    it("under the name that is asked for", async () => {
      const identity = await plane.clientCertificate({ name: "jane" });
      await using right = connect({
        ...trusting(identity),
        tlsServerName: "kubernetes.default.svc",
      });
      await using wrong = connect({ ...trusting(identity), tlsServerName: "other.example.com" });

      expect(await whoAmI(right)).to.include({ username: "jane" });
      expect(await rejection(whoAmI(wrong))).to.include({ code: 0, reason: "Untrusted" });
    });
  });

  describe("is told from what is none", () => {
    it("when certificates are nonsense", async () => {
      await using client = connect(trusting({ cert: "-----BEGIN NONSENSE-----", key: "x" }));

      expect(await rejection(whoAmI(client)))
        .to.include({ code: 0, reason: "NoCredentials" })
        .and.property("message")
        .contains("certificate-authority, client-certificate or client-key cannot be used: ");
    });

    for (const [name, validity, fault] of [
      [
        "has expired",
        { notAfter: new Date(0) },
        'the client certificate of user "me" expired on 1970-01-01T00:00:00Z; renew it',
      ],
      [
        "is not valid yet",
        { notBefore: new Date("2098-01-01"), notAfter: new Date("2099-01-01") },
        'the client certificate of user "me" is not valid before 2098-01-01T00:00:00Z',
      ],
    ] as const) {
      it(`when a certificate ${name}`, async () => {
        const identity = await plane.clientCertificate({ name: "jane", ...validity });
        await using client = connect({ ...trusting(identity), user: "me" });

        expect(await rejection(whoAmI(client)))
          .to.include({ code: 401 })
          .and.property("message")
          .contains(`does not accept our credentials (401 Unauthorized): ${fault}`);
      });
    }

    it("when https meets a server that speaks http", async () => {
      const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      await using client = connect({ server: `https://127.0.0.1:${port}` });

      const error = (await rejection(whoAmI(client))) as ApiError;

      expect(error).to.include({ code: 0, reason: "Unreachable" });
      expect(error.message).to.contain(`https://127.0.0.1:${port} cannot be reached: `);
      server.close();
    });

    it("when http meets a server that speaks https", async () => {
      await using client = connect({ server: plane.url.replace("https", "http") });

      expect(await rejection(whoAmI(client)))
        .to.include({ code: 400 })
        .and.property("message")
        .contains("Client sent an HTTP request to an HTTPS server");
    });

    for (const server of ["", "127.0.0.1:6443", "ftp://host", "https//x"]) {
      it(`when its address is ${JSON.stringify(server)}`, () => {
        expect(() => connect({ server })).to.throw("is no address of an API server");
      });
    }
  });

  it("is reached through a byte stream that is no socket, with TLS inside", async () => {
    const identity = await plane.clientCertificate({ name: uniqueName("jane") });
    const dial = async ({ host, port }: { host: string; port: number }): Promise<Duplex> => {
      const { readable, writable } = Duplex.toWeb(connectTcp(port, host));
      return Duplex.fromWeb({ readable, writable });
    };
    await using client = connect(trusting(identity), { dial });

    const users = await Promise.all(Array.from({ length: 20 }, () => whoAmI(client)));

    expect(new Set(users.map(({ username }) => username)).size).to.equal(1);
  });

  it("keeps no socket and no timer of clients that are gone", async () => {
    const clock = new ManualClock();
    const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();

    for (let round = 0; round < 20; round++) {
      await using client = connect(config, { clock });
      const stream = await client.stream({ method: "GET", path: "/api/v1/configmaps?watch=1" });
      const reading = rejection(stream.pipe(() => undefined));
      await Promise.all([whoAmI(client), whoAmI(client), whoAmI(client)]);
      expect(sockets()).to.be.greaterThan(before);
      await client[Symbol.asyncDispose]();
      await reading;
    }

    await until(() => sockets() <= before);
    expect(clock.waiting()).to.deep.equal([]);
  });
});
