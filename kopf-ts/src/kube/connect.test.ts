import { expect } from "chai";
import type { Client } from "./client.ts";
import { connect } from "./connect.ts";
import {
  aConfigMap,
  ConfigMap,
  clientOf,
  json,
  type Loopback,
  loopback,
  rejection,
} from "./loopback.test.support.ts";

const here = { namespace: "default" };

describe("connect", () => {
  let server: Loopback;
  beforeEach(async () => {
    server = await loopback((response) => json(response, aConfigMap()));
  });
  afterEach(() => server[Symbol.asyncDispose]());

  async function headersOf(client: Client): Promise<Loopback["seen"][number]["headers"]> {
    await using _ = client;
    await client.get(ConfigMap, "a", here);
    return server.seen.at(-1)?.headers ?? {};
  }

  it("opens no connection and reads no credentials before the first request", async () => {
    let asked = 0;
    const credentials = async () => ({ token: String(++asked) });

    await using client = connect({ server: server.url, credentials });
    await new Promise(setImmediate);

    expect([asked, server.connections()]).to.deep.equal([0, 0]);
    expect(client.server).to.equal(server.url);
  });

  for (const path of ["/k8s/clusters/c-1", "/k8s/clusters/c-1/"]) {
    it(`goes below a server's own path: ${path}`, async () => {
      await using client = connect({ server: server.url + path });

      await client.get(ConfigMap, "a", here);
      await client.request({ method: "GET", path: "/version" });

      expect(server.seen.map((seen) => seen.path)).to.deep.equal([
        "/k8s/clusters/c-1/api/v1/namespaces/default/configmaps/a",
        "/k8s/clusters/c-1/version",
      ]);
      expect(client.server).to.equal(`${server.url}/k8s/clusters/c-1`);
    });
  }

  it("takes time in proportion to the address, which may be somebody else's", async () => {
    const began = performance.now();

    await using client = connect({ server: `${server.url}/a${"/".repeat(64_000)}x` });

    expect(performance.now() - began).to.be.below(500);
    expect(client.server).to.match(/^http.*[/]x$/);
  });

  it("drops a password out of the address", async () => {
    const url = new URL(server.url);
    [url.username, url.password] = ["me", "s3cret"];

    await using client = connect({ server: url.href });

    expect(client.server).to.equal(server.url);
  });

  it("says who it is", async () => {
    const headers = await headersOf(clientOf(server));
    const named = await headersOf(clientOf(server, { userAgent: "my-operator/1.0" }));

    expect(headers["user-agent"]).to.match(/^kopf-ts\/\d/);
    expect(named["user-agent"]).to.equal("my-operator/1.0");
  });

  it("passes the user agent of a raw request on, once", async () => {
    await using client = clientOf(server);

    await client.request({ method: "GET", path: "/x", headers: { "User-Agent": "kubectl/1.35" } });

    const raw = server.seen[0]?.rawHeaders.filter((_, index) => index % 2 === 0) ?? [];
    expect(raw.filter((name) => name.toLowerCase() === "user-agent")).to.have.length(1);
    expect(server.seen[0]?.headers["user-agent"]).to.equal("kubectl/1.35");
  });

  for (const [name, credentials, expected] of [
    ["a token", { token: "t" }, "Bearer t"],
    ["name and password", { username: "u", password: "p" }, "Basic dTpw"],
    ["nothing", {}, undefined],
  ] as const) {
    it(`shows ${name}`, async () => {
      const { authorization } = await headersOf(connect({ server: server.url, credentials }));

      expect(authorization).to.equal(expected);
    });
  }

  it("keeps a copy of credentials, so that changing the object later does nothing", async () => {
    const credentials = { token: "first" };
    const client = connect({ server: server.url, credentials });

    credentials.token = "second";

    expect((await headersOf(client)).authorization).to.equal("Bearer first");
  });

  it("repeats the header of each impersonated group", async () => {
    const impersonate = { user: "bob", groups: ["a", "b"] };
    await headersOf(connect({ server: server.url, impersonate }));

    const raw = server.seen[0]?.rawHeaders ?? [];
    const groups = raw.filter((_, index) => raw[index - 1]?.toLowerCase() === "impersonate-group");
    expect(groups).to.deep.equal(["a", "b"]);
  });

  it("fails the call, not the process, when credentials cannot be read", async () => {
    const credentials = () => Promise.reject(new Error("the safe is locked"));
    await using client = connect({ server: server.url, credentials });

    const error = await rejection(client.get(ConfigMap, "a", here));

    expect(error).to.include({ code: 0, reason: "NoCredentials" });
    expect(error)
      .property("message")
      .contains(`no credentials for ${server.url}: the safe is locked`);
  });

  it("fails the call when a token cannot go into a header, without showing it", async () => {
    await using client = connect({ server: server.url, credentials: { token: "s3cret\nx" } });

    const error = await rejection(client.get(ConfigMap, "a", here));

    expect(error).to.include({ code: 0, reason: "BadRequest" });
    expect(String(error)).not.to.contain("s3cret");
    expect(server.seen).to.have.length(0);
  });

  it("reaches IPv6 addresses", async () => {
    const { url } = server;
    const hosts: string[] = [];
    const { connect: connectTcp } = await import("node:net");
    await using client = connect(
      { server: "http://[::1]:8080" },
      {
        dial: async ({ host }) => {
          hosts.push(host);
          return connectTcp(Number(new URL(url).port), "127.0.0.1");
        },
      },
    );

    await client.get(ConfigMap, "a", here);

    expect(hosts).to.deep.equal(["::1"]);
  });
});
