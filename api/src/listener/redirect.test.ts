import { get, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { expect } from "chai";
import { send } from "../stage.ts";
import { redirect } from "./redirect.ts";
import { Served } from "./testing/served.ts";

interface Got {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe("plain HTTP", () => {
  let served: Served;
  before(async () => {
    served = await Served.open([
      async ({ response, request: { method } }) =>
        send(response, 200, `served ${method}`, "text/plain"),
    ]);
  });
  after(() => served[Symbol.asyncDispose]());

  const ask = (path: string, method = "GET", headers: OutgoingHttpHeaders = {}): Promise<Got> =>
    new Promise((resolve, reject) => {
      const { httpPort: port } = served.listener;
      request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          body += chunk;
        });
        const { statusCode: status, headers: received } = response;
        response.once("end", () => resolve({ status, headers: received, body }));
      })
        .on("error", reject)
        .end();
    });

  for (const { path, method = "GET", headers = {}, expected } of [
    { path: "/v3?a=b", expected: "302" },
    { path: "/v3", method: "HEAD", expected: "302" },
    { path: "/v3", method: "POST", expected: "400" },
    { path: "/v3", method: "DELETE", expected: "400" },
    { path: "/ping", expected: "200" },
    { path: "/healthz", expected: "200" },
    { path: "/healthz/ping?verbose", expected: "200" },
    { path: "/readyz?verbose", expected: "200" },
    { path: "/.well-known/acme-challenge/x", expected: "200" },
    { path: "/healthXYZ", expected: "302" },
    { path: "/health", expected: "302" },
    { path: "/pingpong", expected: "302" },
    { path: "/ping/../v3", expected: "302" },
    { path: "/ping/%2e%2e/v3", expected: "302" },
    { path: "/.well-known-x", expected: "302" },
    { path: "//v3", expected: "400" },
    { path: `/${"x".repeat(70_000)}`, expected: "414" },
    { path: "/v3", headers: { "x-forwarded-proto": "https" }, expected: "200" },
    { path: "/v3", headers: { "x-forwarded-proto": "wss" }, expected: "200" },
    { path: "/v3", headers: { "x-forwarded-proto": "http" }, expected: "302" },
    { path: "/v3", method: "POST", headers: { "x-forwarded-proto": "https" }, expected: "200" },
  ]) {
    const shown = Object.keys(headers).length === 0 ? "" : ` ${JSON.stringify(headers)}`;
    it(`gives ${expected} to ${method} ${path.slice(0, 40)}${shown}`, async () => {
      const { status, headers: received, body } = await ask(path, method, headers);

      expect(String(status)).to.equal(expected);
      expect(received["x-request-id"]).to.match(/^[0-9a-f-]{36}$/);
      if (method !== "GET" && expected === "400") expect(body).to.equal("Use HTTPS\n");
    });
  }

  it("leads to our own HTTPS port with path and query", async () => {
    const { headers } = await ask("/v3?a=b");

    const { httpsPort } = served.listener;
    expect(headers.location).to.equal(`https://127.0.0.1:${httpsPort}/v3?a=b`);
  });

  it("is not left by a websocket either", async () => {
    const upgrade = { connection: "Upgrade", upgrade: "websocket" };

    expect((await ask("/v1/subscribe", "GET", upgrade)).status).to.equal(302);
  });

  it("serves what passes like the other listener, to keep-alive connections too", async () => {
    const bodies: string[] = [];
    for (let each = 0; each < 2; each++) {
      await new Promise<void>((resolve) => {
        get({ host: "127.0.0.1", port: served.listener.httpPort, path: "/ping" }, (response) => {
          response.setEncoding("utf8").on("data", (chunk: string) => bodies.push(chunk));
          response.once("end", resolve);
        });
      });
    }

    expect(bodies).to.deep.equal(["served GET", "served GET"]);
  });
});

describe("redirect", () => {
  for (const { host, url = "/x", expected } of [
    { host: "d.test", expected: "https://d.test/x" },
    { host: "d.test:80", expected: "https://d.test/x" },
    { host: "d.test:8080", expected: "https://d.test:8443/x" },
    { host: "d.test:9080", expected: "https://d.test:9443/x" },
    { host: "d.test:5000", expected: "https://d.test:7777/x" },
    { host: "[::1]:5000", expected: "https://[::1]:7777/x" },
    { host: "[::1]", expected: "https://[::1]/x" },
    { host: 'evil.test/"', expected: "https://localhost/x" },
    { host: "d.test", url: "http://evil.test/x?a=b", expected: "https://d.test/x?a=b" },
  ]) {
    it(`leads ${host} ${url} to ${expected}`, () => {
      let location: unknown;
      const response = {
        setHeader: (name: string, value: unknown) => {
          if (name === "Location") location = value;
        },
        writeHead: () => undefined,
        end: () => undefined,
      };

      redirect(7777, () => 5000)(
        { url, method: "GET", headers: { host }, rawHeaders: ["Host", host], socket: {} } as never,
        response as never,
        () => expect.fail("passed"),
      );

      expect(location).to.equal(expected);
    });
  }
});
