import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { EventEmitter } from "node:events";
import { createServer, get as httpGet, type IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { expect } from "chai";
import { type Logger, Metrics, silentLogger, systemClock } from "kopf-ts";
import { type ServingCertificate, selfSigned } from "./listener/certificate.ts";
import { ListenError, type Listener, listen } from "./listener/index.ts";
import { pipeline } from "./pipeline.ts";
import type { Exchange } from "./stage.ts";

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const healthy = {
  respond: (path: string) =>
    path === "/healthz" ? Promise.resolve({ status: 200, body: "ok" }) : undefined,
};

/** While there is no cluster yet. */
const starting = (): ReturnType<typeof pipeline> =>
  pipeline({ health: healthy, metrics: new Metrics({ process: false }), api: () => undefined });

describe("api pipeline", () => {
  let certificate: ServingCertificate;
  let listener: Listener;
  const log = silentLogger;

  const start = (handle: (exchange: Exchange) => Promise<void>): Promise<Listener> =>
    listen({ httpsPort: 0, httpPort: 0, certificate, handle, clock: systemClock, log });
  const call = (path: string, method = "GET"): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: listener.httpsPort, path, method };
      request({ ...options, servername: "localhost", ca: certificate.cert }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          body += text;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode, headers: response.headers, body }),
        );
      })
        .on("error", reject)
        .end();
    });

  before(async () => {
    certificate = await selfSigned(["localhost", "127.0.0.1"], Date.now());
  });
  beforeEach(async () => {
    listener = await start(starting());
  });
  afterEach(() => listener.close(0));

  it("serves health over verified TLS and names the request", async () => {
    const answer = await call("/healthz");

    expect(answer.status).to.equal(200);
    expect(answer.body).to.equal("ok");
    expect(answer.headers["x-request-id"]).to.match(/^[0-9a-f-]{36}$/);
  });

  it("answers 503 in the error shape until there is a cluster, and says when to come again", async () => {
    const answer = await call("/v1/pods?x=1");

    expect(answer.headers["retry-after"]).to.equal("1");
    expect(JSON.parse(answer.body)).to.deep.equal({
      type: "error",
      links: {},
      status: 503,
      code: "ClusterUnavailable",
      message: "the server is starting",
    });
  });

  it("forbids to sniff and to store, whatever is answered", async () => {
    for (const path of ["/healthz", "/ping", "/v1/pods", "/x"]) {
      expect((await call(path)).headers, path).to.include({
        "x-content-type-options": "nosniff",
        "cache-control": "no-cache, no-store, must-revalidate",
      });
    }
  });

  it("answers pings before there is a cluster", async () => {
    expect((await call("/ping")).body).to.equal("pong");
  });

  it("answers 405 with Allow for a write", async () => {
    const answer = await call("/healthz", "DELETE");

    expect(answer.status).to.equal(405);
    expect(answer.headers.allow).to.equal("GET, HEAD");
  });

  it("answers 400 to a target that is no URL, and goes on serving", async () => {
    const raw = await new Promise<string>((resolve, reject) => {
      const socket = connect(
        {
          host: "127.0.0.1",
          port: listener.httpsPort,
          servername: "localhost",
          ca: certificate.cert,
        },
        () => socket.write("GET //[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
      );
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      socket.on("end", () => resolve(text)).on("error", reject);
    });

    expect(raw).to.match(/^HTTP\/1.1 400 /);
    expect((await call("/healthz")).status).to.equal(200);
  });

  it("answers 500 without telling why when a stage throws", async () => {
    await listener.close(0);
    listener = await start(() => Promise.reject(new Error("the password is hunter2")));

    const answer = await call("/");

    expect(answer.status).to.equal(500);
    expect(answer.body).not.to.contain("hunter2");
  });

  it("redirects plain HTTP to the https port with path and query", async () => {
    const headers = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
      httpGet(`http://127.0.0.1:${listener.httpPort}/v3?a=b`, (response) => {
        response.resume();
        resolve(response.headers);
      }).on("error", reject);
    });

    expect(headers.location).to.equal(`https://127.0.0.1:${listener.httpsPort}/v3?a=b`);
    expect(headers["x-request-id"]).to.be.a("string");
  });

  it("says which port is in use and which option chooses another", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const { port } = holder.address() as AddressInfo;

    const failure = await listen({
      httpsPort: port,
      certificate,
      handle: starting(),
      clock: systemClock,
      log,
    }).catch((error: unknown) => error);
    holder.close();

    expect(failure).to.be.instanceOf(ListenError);
    expect(String(failure)).to.contain(`port ${port}`).and.contain("--https-listen-port");
  });

  it("tells of connections that it cannot accept, and goes on serving", async () => {
    await listener.close(0);
    const told: unknown[] = [];
    const error: Logger["error"] = (message, fields) => void told.push([message, fields?.error]);
    const handle = starting();
    listener = await listen({
      ...{ httpsPort: 0, certificate, handle, clock: systemClock },
      log: { ...log, error },
    });
    const server = await serverOf(() => call("/healthz"));
    const failures = ["EMFILE", "ENFILE"].map((code) => new Error(`accept ${code}`));

    for (const failure of failures) server.emit("error", failure);

    expect(told).to.deep.equal(failures.map((each) => ["cannot accept a connection", each]));
    expect((await call("/healthz")).status).to.equal(200);
  });

  it("lets a request in work end while it closes", async () => {
    await listener.close(0);
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    listener = await start(async ({ response }) => {
      entered.resolve();
      await release.promise;
      response.end("late");
    });
    const answer = call("/slow");
    await entered.promise;

    const closed = listener.close(20_000);
    release.resolve();

    expect((await answer).body).to.equal("late");
    await closed;
  });
});

/** The server that answers a request, as Node's diagnostics see it. */
async function serverOf(request: () => Promise<unknown>): Promise<EventEmitter> {
  const seen = Promise.withResolvers<EventEmitter>();
  const onRequest = (message: unknown): void =>
    seen.resolve((message as { readonly server: EventEmitter }).server);
  subscribe("http.server.request.start", onRequest);
  await request();
  unsubscribe("http.server.request.start", onRequest);
  return seen.promise;
}
