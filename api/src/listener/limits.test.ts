import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { createLogger, Metrics, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { accessLog } from "../access-log/index.ts";
import { httpMetrics } from "../http-metrics/index.ts";
import { type Exchange, send } from "../stage.ts";
import { type ServingCertificate, selfSigned } from "./certificate.ts";
import { type Limits, type Listener, listen } from "./index.ts";
import { Raw, websocketTo } from "./testing/raw.ts";
import { Served } from "./testing/served.ts";

describe("the listener", () => {
  let certificate: ServingCertificate;
  let listener: Listener;
  let told: string[];
  before(async () => {
    certificate = await selfSigned(["localhost"], Date.now());
  });
  afterEach(() => listener.close(0));

  const hello = async ({ response }: Exchange): Promise<void> =>
    send(response, 200, "hello", "text/plain");
  async function serve(
    limits: Partial<Limits> = {},
    handle: (exchange: Exchange) => Promise<void> = hello,
  ): Promise<void> {
    told = [];
    const log = createLogger({ output: { write: (line: string) => void told.push(line) } });
    const options = { httpsPort: 0, httpPort: 0, certificate, handle, clock: systemClock, log };
    listener = await listen({ ...options, limits });
  }
  const raw = (): Raw => new Raw(listener, certificate.cert);

  const long = (length: number): string => "x".repeat(length);
  for (const { name, lines, expected } of [
    { name: "a URL of 60 KiB", lines: [`GET /${long(60_000)} HTTP/1.1`, "Host: x"], expected: 200 },
    { name: "a URL of 70 KiB", lines: [`GET /${long(70_000)} HTTP/1.1`, "Host: x"], expected: 414 },
    {
      name: "headers of 100 KiB",
      lines: ["GET / HTTP/1.1", "Host: x", `X: ${long(100_000)}`],
      expected: 200,
    },
    {
      name: "headers of 140 KiB",
      lines: ["GET / HTTP/1.1", "Host: x", `X: ${long(140_000)}`],
      expected: 431,
    },
    {
      name: "headers of 5 MB",
      lines: ["GET / HTTP/1.1", "Host: x", `X: ${long(5_000_000)}`],
      expected: 431,
    },
    { name: "what is no HTTP", lines: ["hello"], expected: 400 },
    { name: "no host", lines: ["GET / HTTP/1.1"], expected: 400 },
    { name: "no host, as of old", lines: ["GET / HTTP/1.0"], expected: 200 },
    { name: "two hosts", lines: ["GET / HTTP/1.1", "Host: x", "hOST: y"], expected: 400 },
    {
      name: "two lengths of a body",
      lines: ["POST / HTTP/1.1", "Host: x", "Content-Length: 1", "Content-Length: 2"],
      expected: 400,
    },
    {
      name: "a length and chunks",
      lines: ["POST / HTTP/1.1", "Host: x", "Content-Length: 1", "Transfer-Encoding: chunked"],
      expected: 400,
    },
    {
      name: "what expects anything",
      lines: ["GET / HTTP/1.1", "Host: x", "Expect: x"],
      expected: 417,
    },
    ...[
      { coding: "gzip, chunked", expected: 501 },
      { coding: "gzip,chunked", expected: 501 },
      { coding: "Chunked", expected: 200 },
    ].map(({ coding, expected }) => ({
      name: `a body in ${coding}`,
      lines: ["POST / HTTP/1.1", "Host: x", `Transfer-Encoding: ${coding}`],
      expected,
    })),
    { name: "a tunnel", lines: ["CONNECT x:443 HTTP/1.1", "Host: x"], expected: 405 },
    { name: "a path that names a host", lines: ["GET //x/y HTTP/1.1", "Host: x"], expected: 400 },
    {
      name: "one that does so by a backslash",
      lines: ["GET /\\x/y HTTP/1.1", "Host: x"],
      expected: 400,
    },
    { name: "a whole URL", lines: ["GET https://x/y HTTP/1.1", "Host: x"], expected: 200 },
  ]) {
    it(`answers ${expected} to ${name}, with a body, and nobody is alarmed`, async () => {
      await serve();

      const text = await raw().send(...lines.slice(0, 1), "Connection: close", ...lines.slice(1))
        .ended;

      expect(text).to.match(new RegExp(`^HTTP/1.1 ${expected} `));
      expect(text).to.contain("Connection: close");
      const [, body = ""] = text.split("\r\n\r\n", 2);
      if (expected === 200) expect(body).to.equal("hello");
      else expect(JSON.parse(body)).to.deep.include({ type: "error", links: {}, status: expected });
      expect(told).to.deep.equal([]);
    });
  }

  it("answers 400 to a body that breaks the rules of chunks", async () => {
    let failed: unknown;
    await serve({}, async ({ request }) => {
      for await (const _ of request.on("error", (error) => (failed = error)));
    });

    const text = await raw().send(
      "POST / HTTP/1.1",
      "Host: x",
      "Transfer-Encoding: chunked",
      "",
      "zz",
    ).ended;

    expect(text).to.match(/^HTTP\/1\.1 400 [\s\S]*malformed HTTP request/);
    await eventually(() => failed !== undefined);
    expect(told).to.deep.equal([]);
  });

  for (const [what, ...lines] of [
    ["a tunnel", "CONNECT x:443 HTTP/1.1", "Host: x"],
    ["an upgrade", ...websocketTo("/")],
  ] as const) {
    it(`cuts who keeps the connection open on which ${what} was refused`, async () => {
      await serve({ longestStall: 100 });
      const where = { host: "127.0.0.1", port: listener.httpPort ?? 0, allowHalfOpen: true };
      const socket = connect(where).on("error", () => undefined);
      socket.resume().write(`${lines.join("\r\n")}\r\n\r\n`);
      await once(socket, "end");

      await eventually(() => {
        socket.write("x"); // what nobody reads
        return socket.destroyed;
      });
    });
  }

  it("answers what came whole before what is no HTTP, and ends the connection behind it", async () => {
    const release = Promise.withResolvers<void>();
    const entered: string[] = [];
    await serve({}, async ({ request, response, path }) => {
      for await (const _ of request);
      entered.push(path);
      await release.promise;
      send(response, 200, `did ${path}`, "text/plain");
    });
    const client = raw();
    client.socket.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    client.socket.write("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}XX\r\n\r\n");
    await eventually(() => entered.length === 2);
    client.socket.write("YY\r\n\r\n");
    await client.written();
    release.resolve();

    const text = await client.ended;

    expect(text.match(/HTTP\/1.1 \d+|did \/\w/g)).to.deep.equal([
      ...["HTTP/1.1 200", "did /a", "HTTP/1.1 200", "did /b", "HTTP/1.1 400"],
    ]);
    expect(told).to.deep.equal([]);
  });

  it("sends an answer whole that has begun when what comes behind its request is no HTTP", async () => {
    const release = Promise.withResolvers<void>();
    await serve({}, async ({ response }) => {
      response.writeHead(200, { "Content-Length": 10 }).write("begun");
      await release.promise;
      response.end("ended");
    });
    const client = raw().send("GET / HTTP/1.1", "Host: x", "Connection: close");
    await eventually(() => client.text.includes("begun"));
    client.socket.write("XX\r\n\r\n");
    await client.written();
    release.resolve();

    expect(await client.ended).to.match(/begunended$/);
  });

  it("leaves an answer that has begun as it is when its request is malformed", async () => {
    await serve({}, async ({ request, response }) => {
      response.writeHead(200).write("begun");
      for await (const _ of request.on("error", () => undefined));
    });
    const client = raw().send("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked");
    await eventually(() => client.text.includes("begun"));

    const text = await client.send("zz").ended;

    expect(text).to.match(/^HTTP\/1\.1 200 /);
    expect(text).to.not.contain("malformed");
  });

  it("ends a connection on which no request arrives in time, and says so", async () => {
    await serve({ headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 });
    const client = raw();
    client.socket.write("GET / HTTP/1.1\r\nHost: x\r\n");

    expect(await client.ended).to.match(/^HTTP\/1\.1 408 [\s\S]*took too long/);
    expect(told).to.deep.equal([]);
  });

  it("ends a connection whose body does not arrive in time", async () => {
    let failed: unknown;
    await serve(
      { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 },
      async ({ request }) => {
        for await (const _ of request.on("error", (error) => (failed = error)));
      },
    );

    await raw().send("POST / HTTP/1.1", "Host: x", "Content-Length: 5").ended;

    await eventually(() => failed !== undefined);
    expect(told).to.deep.equal([]);
  });

  it("ends a connection whose client does not take its answer, and no other that is silent", async () => {
    let gone: AbortSignal | undefined;
    await serve({ longestStall: 300 }, async ({ response, path, signal }) => {
      if (path === "/silent") return void response.writeHead(200).write("begun");
      gone = signal;
      response.writeHead(200).write(Buffer.alloc(64 * 1024 * 1024));
    });
    const silent = raw().send("GET /silent HTTP/1.1", "Host: x");
    await eventually(() => silent.text.includes("begun"));
    const client = raw();
    client.socket.pause();
    client.send("GET /much HTTP/1.1", "Host: x");

    await eventually(() => gone?.aborted === true, { within: 5_000 });

    expect(silent.socket.destroyed).to.equal(false);
    client.socket.destroy();
  });

  it("ends a connection on which nothing is asked any more, and no watch", async () => {
    await serve({ keepAliveTimeout: 1, longestStall: 100 }, async ({ response, path }) => {
      if (path === "/watch") response.writeHead(200).write("begun");
      else send(response, 200, "hello", "text/plain");
    });
    const watch = raw().send("GET /watch HTTP/1.1", "Host: x");
    await eventually(() => watch.text.includes("begun"));

    expect(await raw().send("GET / HTTP/1.1", "Host: x").ended).to.match(/keep-alive[\s\S]*hello$/);

    expect(watch.socket.destroyed).to.equal(false);
    watch.socket.destroy();
  });

  it("ends a connection that never shakes hands when it closes", async () => {
    await serve();
    const socket = connect(listener.httpsPort, "127.0.0.1").on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await new Promise((resolve) => socket.once("connect", resolve));

    await listener.close(1);

    await closed;
  });

  it("keeps a connection open between requests, and ends an idle one when it closes", async () => {
    await serve();
    const client = raw().send("GET / HTTP/1.1", "Host: x");
    await eventually(() => client.text.endsWith("hello"));
    client.text = "";
    client.send("GET / HTTP/1.1", "Host: x");
    await eventually(() => client.text.endsWith("hello"));

    await listener.close(20_000);

    expect(await client.ended).to.contain("Connection: keep-alive");
  });

  it("tells who is in work when it closes, and ends their connections behind the answer", async () => {
    const entered = Promise.withResolvers<Exchange>();
    const release = Promise.withResolvers<void>();
    await serve({}, async (exchange) => {
      entered.resolve(exchange);
      await release.promise;
      send(exchange.response, 200, "late", "text/plain");
    });
    const client = raw().send("GET / HTTP/1.1", "Host: x");
    const { stopping, signal } = await entered.promise;
    expect(stopping.aborted).to.equal(false);

    const closed = listener.close(20_000);
    expect([stopping.aborted, signal.aborted]).to.deep.equal([true, false]);
    release.resolve();

    expect(await client.ended).to.match(/Connection: close[\s\S]*late$/);
    await closed;
  });

  it("cuts what is in work when the grace is over", async () => {
    const entered = Promise.withResolvers<AbortSignal>();
    await serve({}, async ({ response, signal }) => {
      response.writeHead(200).write("watching");
      entered.resolve(signal);
    });
    const client = raw().send("GET / HTTP/1.1", "Host: x");
    const signal = await entered.promise;

    await listener.close(1);

    await client.ended;
    await eventually(() => signal.aborted);
  });

  it("answers some requests that were sent ahead, and cuts off whoever sends hundreds", async () => {
    let begun = 0;
    const release = Promise.withResolvers<void>();
    await serve({}, async ({ response }) => {
      begun++;
      await release.promise;
      send(response, 200, "hello", "text/plain");
    });
    const ahead = (count: number): string => "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count);
    const [patient, eager] = [raw(), raw()];

    patient.socket.write(ahead(16));
    await eventually(() => begun === 16);
    eager.socket.write(ahead(300));
    expect(await eager.ended).to.equal("");
    release.resolve();

    await eventually(() => patient.text.split("hello").length === 17);
    expect(begun).to.equal(32);
    patient.socket.write(ahead(16));
    await eventually(() => patient.text.split("hello").length === 33);
    patient.socket.destroy();
  });

  it("cuts off whoever sends hundreds ahead that are refused at once", async () => {
    await serve({}, () => new Promise(() => undefined));
    const refused = "GET / HTTP/1.1\r\nHost: x\r\nExpect: much\r\n\r\n";
    const client = raw();

    client.socket.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${refused.repeat(300)}`);

    expect(await client.ended).to.equal("");
  });

  it("knows of each request that was sent ahead when its connection ends", async () => {
    const metrics = new Metrics({ process: false });
    const lines: string[] = [];
    const signals: AbortSignal[] = [];
    const log = createLogger({
      level: "debug",
      output: { write: (line) => void lines.push(line) },
    });
    const counting = httpMetrics({ metrics, clock: systemClock, typeOf: () => undefined });
    await using served = await Served.open(
      [
        counting,
        accessLog(systemClock),
        async ({ response, path, signal }) => {
          if (path === "/ping") send(response, 200, "pong", "text/plain");
          else signals.push(signal);
        },
      ],
      log,
    );
    const ahead = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

    const answered = served.raw();
    answered.socket.write(ahead("/ping").repeat(17));
    await answered.ended;
    const silent = served.raw();
    silent.socket.write(ahead("/silent").repeat(16));
    await eventually(() => signals.length === 16);
    silent.socket.destroy();

    await eventually(() => lines.filter((line) => line.includes("answered")).length === 32);
    expect(await metrics.text()).to.match(/^drover_http_requests_in_flight 0$/m);
    expect(signals.every(({ aborted }) => aborted)).to.equal(true);
  });

  it("presents another certificate to new connections, and cuts off nobody", async () => {
    await serve();
    const other = await selfSigned(["localhost"], Date.now());
    const old = raw().send("GET / HTTP/1.1", "Host: x");
    await eventually(() => old.text.endsWith("hello"));

    listener.present(other);

    const fresh = new Raw(listener, other.cert).send("GET / HTTP/1.1", "Host: x");
    await eventually(() => fresh.text.endsWith("hello"));
    old.text = "";
    old.send("GET / HTTP/1.1", "Host: x");
    await eventually(() => old.text.endsWith("hello"));
    expect(await raw().ended).to.equal("");
    for (const { socket } of [old, fresh]) socket.destroy();
  });
});
