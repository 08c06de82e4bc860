import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { WebSocket, WebSocketServer } from "ws";
import { type Exchange, refuse, statusOf, type Upgraded } from "../stage.ts";
import { type ServingCertificate, selfSigned } from "./certificate.ts";
import { type Listener, listen } from "./index.ts";
import { Raw, websocketTo } from "./testing/raw.ts";

describe("an upgrade", () => {
  let certificate: ServingCertificate;
  let listener: Listener;
  before(async () => {
    certificate = await selfSigned(["localhost"], Date.now());
  });
  afterEach(() => listener.close(0));

  async function serve(handle: (exchange: Exchange) => Promise<void>): Promise<void> {
    const [clock, log] = [systemClock, silentLogger];
    listener = await listen({ httpsPort: 0, certificate, handle, clock, log });
  }
  const raw = (): Raw => new Raw(listener, certificate.cert);

  it("is refused like any other request, and its connection ends", async () => {
    await serve(async ({ response }) => {
      response.setHeader("Set-Cookie", "CSRF=1");
      refuse(response, 403, "Forbidden", "not you");
    });

    const text = await raw().send(...websocketTo("/v1/subscribe")).ended;

    expect(text).to.match(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(text).to.match(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
    expect(text).to.contain("Connection: close").and.contain("Set-Cookie: CSRF=1");
    expect(JSON.parse(text.slice(text.indexOf("{")))).to.include({ status: 403 });
  });

  it("is answered 500 when a stage throws", async () => {
    await serve(() => Promise.reject(new Error("the password is hunter2")));

    const text = await raw().send(...websocketTo("/")).ended;

    expect(text).to.match(/^HTTP\/1\.1 500 /);
    expect(text).not.to.contain("hunter2");
  });

  it("can be taken over, with what the client sent behind it", async () => {
    let asked: string | undefined;
    await serve(async (exchange) => {
      const { upgrade, response, path, query } = exchange;
      asked = `${upgrade?.protocol} ${path} ${query.get("a")}`;
      const { socket, head } = take(exchange);
      expect(() => take(exchange)).to.throw("answered already");
      socket.write(`HTTP/1.1 101 X\r\nX: ${response.getHeader("x-request-id")}\r\n\r\n`);
      socket.end(head);
    });

    const client = raw();
    client.socket.write(`${websocketTo("/v1/subscribe?a=b").join("\r\n")}\r\n\r\nhello`);
    const text = await client.ended;

    expect(asked).to.equal("websocket /v1/subscribe b");
    expect(text).to.match(/^HTTP\/1\.1 101 X\r\nX: [0-9a-f-]{36}\r\n\r\nhello$/);
  });

  for (const { what, last, answer } of [
    { what: "an upgrade", last: websocketTo("/last"), answer: "101 X" },
    {
      what: "a tunnel",
      last: ["CONNECT x:1 HTTP/1.1", "Host: x"],
      answer: "405 Method Not Allowed",
    },
  ]) {
    it(`waits for the answers to what was asked before on its connection: ${what}`, async () => {
      const release = Promise.withResolvers<void>();
      const begun: string[] = [];
      await serve(async (exchange) => {
        begun.push(exchange.path);
        if (exchange.path === "/last") {
          take(exchange).socket.end("HTTP/1.1 101 X\r\n\r\n");
          return;
        }
        await release.promise;
        for (const piece of pieces(exchange.path)) {
          if (!exchange.response.write(piece)) await once(exchange.response, "drain");
        }
        exchange.response.end();
      });
      const client = raw();
      const [one, two] = ["/one", "/two"].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      client.socket.write(`${one}${two}${last.join("\r\n")}\r\n\r\n`);
      await eventually(() => begun.length === 2);

      release.resolve();

      const text = await client.ended;
      const ends = text.match(/(?:one|two): last|101 X|405 Method/g);
      expect(ends).to.deep.equal(["one: last", "two: last", answer.slice(0, 10).trim()]);
      expect(text.match(/one: more/g)).to.have.length(many);
    });
  }

  it("waits for a refusal that no stage was asked for", async () => {
    await serve(async (exchange) => void take(exchange).socket.end("HTTP/1.1 101 X\r\n\r\n"));

    const text = await raw().send(
      ...["GET / HTTP/1.1", "Host: localhost", "Expect: something", ""],
      ...websocketTo("/"),
    ).ended;

    expect(text.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(["HTTP/1.1 417", "HTTP/1.1 101"]);
  });

  for (const { reads, pause } of [
    { reads: "at once", pause: false },
    { reads: "after a while", pause: true },
  ]) {
    it(`has its whole answer, however large, when it is answered as any other request, by who reads ${reads}`, async () => {
      await serve(async ({ response }) => {
        for (const piece of pieces("/it")) {
          if (!response.write(piece)) await once(response, "drain");
        }
        response.end();
      });
      const client = raw();
      if (pause) client.socket.pause();
      client.send(...websocketTo("/"));
      if (pause) {
        await eventually(() => client.socket.readableLength > 0);
        client.socket.resume();
      }

      const text = await client.ended;

      expect(text.match(/it: more/g)).to.have.length(many);
      expect(text).to.contain("it: last");
    });
  }

  for (const { how, leave } of [
    { how: "goes", leave: ({ socket }: Raw) => void socket.destroy() },
    { how: "closes its half", leave: ({ socket }: Raw) => void socket.end() },
  ]) {
    it(`ends, answered as any other request, when its client ${how}, whatever that has sent before`, async () => {
      let signal: AbortSignal | undefined;
      await serve(async (exchange) => {
        signal = exchange.signal;
        exchange.response.writeHead(200).write("from now on silent");
      });
      const client = raw().send(...websocketTo("/"));
      client.socket.write(Buffer.alloc(1024 * 1024));
      await eventually(() => client.text.includes("silent"));
      expect(signal?.aborted).to.equal(false);

      leave(client);

      await eventually(() => signal?.aborted === true);
    });
  }

  it("is cut when nobody reads its answer, and not when that has nothing to say", async () => {
    const signals = new Map<string, AbortSignal>();
    const handle = async ({ path, signal, response }: Exchange): Promise<void> => {
      signals.set(path, signal);
      response.writeHead(200).write(Buffer.alloc(path === "/much" ? 64 * 1024 * 1024 : 1));
    };
    listener = await listen({
      ...{ httpsPort: 0, certificate, handle, clock: systemClock, log: silentLogger },
      limits: { longestStall: 300 },
    });
    const clients = ["/little", "/much"].map((path) => raw().send(...websocketTo(path)));
    clients.at(-1)?.socket.pause();

    await eventually(() => signals.get("/much")?.aborted === true, { within: 5_000 });

    expect(signals.get("/little")?.aborted).to.equal(false);
    for (const { socket } of clients) socket.destroy();
  });

  it("goes with its connection when nobody reads the answer before", async () => {
    let signal: AbortSignal | undefined;
    const handle = async (exchange: Exchange): Promise<void> => {
      signal = exchange.signal;
      exchange.response.writeHead(200).write(Buffer.alloc(64 * 1024 * 1024));
    };
    listener = await listen({
      ...{ httpsPort: 0, certificate, handle, clock: systemClock, log: silentLogger },
      limits: { longestStall: 300 },
    });
    const client = raw();
    client.socket.pause();

    client.socket.write(
      `GET / HTTP/1.1\r\nHost: x\r\n\r\n${websocketTo("/").join("\r\n")}\r\n\r\n`,
    );

    await eventually(() => signal?.aborted === true, { within: 5_000 });
    client.socket.destroy();
  });

  it("can be given back, and is answered and told of as any other request then", async () => {
    let status: number | undefined;
    await serve(async (exchange) => {
      const { response } = exchange;
      response.once("close", () => {
        status = statusOf(response);
      });
      take(exchange).giveBack();
      refuse(response, 400, "BadRequest", "odd");
    });

    const text = await raw().send(...websocketTo("/v1/subscribe")).ended;
    await eventually(() => status !== undefined);

    expect(text).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(text)
      .to.match(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i)
      .and.contain("Connection: close");
    expect(status).to.equal(400);
  });

  it("ends its connection when a stage throws after it was taken over", async () => {
    const told: string[] = [];
    const error = (message: string): void => void told.push(message);
    const handle = async (exchange: Exchange): Promise<void> => {
      take(exchange).socket.write("HTTP/1.1 101 X\r\n\r\n");
      throw new Error("the password is hunter2");
    };
    const log = { ...silentLogger, child: () => ({ ...silentLogger, error }) };
    listener = await listen({ httpsPort: 0, certificate, handle, clock: systemClock, log });

    const text = await raw().send(...websocketTo("/")).ended;

    expect(text).to.be.oneOf(["", "HTTP/1.1 101 X\r\n\r\n"]);
    expect(told).to.deep.equal(["request failed"]);
  });

  it("to a protocol that nobody speaks is an ordinary request", async () => {
    let exchange: Exchange | undefined;
    await serve(async (each) => {
      exchange = each;
      each.response.end("plain");
    });

    const text = await raw().send(
      "GET / HTTP/1.1",
      "Host: localhost",
      "Connection: Upgrade, close",
      "Upgrade: h2c",
    ).ended;

    expect(text).to.match(/^HTTP\/1\.1 200 [\s\S]*plain/);
    expect(exchange?.upgrade).to.equal(undefined);
  });

  for (const { how, lines } of [
    { how: "Content-Length", lines: ["Content-Length: 5", "", "hello"] },
    { how: "Transfer-Encoding", lines: ["Transfer-Encoding: chunked", "", "5", "hello", "0"] },
  ]) {
    it(`with a body by ${how} is an ordinary request, and has its body`, async () => {
      let isUpgrade: boolean | undefined;
      await serve(async ({ request, response, upgrade }) => {
        isUpgrade = upgrade !== undefined;
        response.end(`read ${await text(request)}`);
      });

      const told = await raw().send(
        ...["DELETE / HTTP/1.1", "Host: localhost", "Connection: Upgrade, close"],
        ...["Upgrade: websocket", ...lines],
      ).ended;

      expect(told).to.match(/^HTTP\/1\.1 200 [\s\S]*read hello/);
      expect(isUpgrade).to.equal(false);
    });
  }

  for (const { how, lines, later } of [
    { how: "with it", lines: ["GET /2 HTTP/1.1", "Host: localhost", "", ""], later: "" },
    {
      how: "with it, and its body later",
      lines: ["POST /2 HTTP/1.1", "Host: localhost", "Content-Length: 33", "", ""],
      later: "GET /3 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    },
  ])
    it(`with a body is the last request of its connection: another comes ${how}`, async () => {
      const handled: string[] = [];
      const goOn = Promise.withResolvers<void>();
      await serve(async ({ request, response, path }) => {
        handled.push(`${path} ${await text(request)}`);
        await goOn.promise;
        response.end("done");
      });
      const client = raw();
      const first = ["POST /1 HTTP/1.1", "Host: localhost", "Connection: Upgrade"];
      const body = ["Upgrade: websocket", "Content-Length: 5", "", `hello${lines[0]}`];
      client.socket.write([...first, ...body, ...lines.slice(1)].join("\r\n"));
      await eventually(() => handled.length > 0);

      client.socket.write(later);
      await client.written();
      goOn.resolve();
      const told = await client.ended;

      expect(handled).to.deep.equal(["/1 hello"]);
      expect(told).to.match(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
      expect(told).to.match(/done\r\n0\r\n\r\n$|done$/);
    });

  for (const encoding of ["identity", "gzip", "chunked, gzip"])
    it(`with a body in ${encoding} is refused`, async () => {
      let isHandled = false;
      await serve(async ({ response }) => {
        isHandled = true;
        response.end();
      });

      const told = await raw().send(
        ...["DELETE / HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket"],
        ...[`Transfer-Encoding: ${encoding}`, "", '{"dryRun":["All"]}'],
      ).ended;

      expect(told).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(told).to.contain("malformed HTTP request").and.contain("Connection: close");
      expect(isHandled).to.equal(false);
    });

  it("carries a websocket, which is told of a stop and cut when the grace is over", async () => {
    const server = new WebSocketServer({ noServer: true });
    let signal: AbortSignal | undefined;
    await serve(async (exchange) => {
      signal = exchange.signal;
      const { socket, head } = take(exchange);
      server.handleUpgrade(exchange.request, socket, head, (each) => {
        exchange.stopping.addEventListener("abort", () => each.close(1001, "stopping"));
        each.on("message", (data) => each.send(`echo ${data}`));
      });
    });
    const url = `wss://localhost:${listener.httpsPort}/v1/subscribe`;
    const client = new WebSocket(url, { ca: certificate.cert });
    const messages: string[] = [];
    const closed = new Promise((resolve) => client.once("close", resolve));
    client.on("message", (data) => messages.push(String(data)));
    client.once("open", () => client.send("hello"));
    await eventually(() => messages.includes("echo hello"));
    expect(signal?.aborted).to.equal(false);

    await listener.close(20_000);

    expect(await closed).to.equal(1001);
    await eventually(() => signal?.aborted === true);
  });

  it("is cut when whoever took it over does not close it within the grace", async () => {
    let signal: AbortSignal | undefined;
    await serve(async (exchange) => {
      signal = exchange.signal;
      take(exchange).socket.write("HTTP/1.1 101 X\r\n\r\n");
    });
    const client = raw().send(...websocketTo("/"));
    await eventually(() => client.text.includes("101"));

    await listener.close(1);

    expect(await client.ended).to.contain("101");
    await eventually(() => signal?.aborted === true);
  });
});

/** Of an answer that does not go out at once. */
const many = 200;

function* pieces(path: string): Iterable<string> {
  for (let left = many; left > 0; left--) yield `${path.slice(1)}: more ${"x".repeat(50_000)}\n`;
  yield `${path.slice(1)}: last\n`;
}

function take({ upgrade }: Exchange): Upgraded {
  if (upgrade === undefined) throw new Error("no upgrade");
  return upgrade.accept();
}
