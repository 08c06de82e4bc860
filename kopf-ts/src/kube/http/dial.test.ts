import { type AddressInfo, connect as connectTcp, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { expect } from "chai";
import { systemClock } from "../../base/index.ts";
import { connect } from "../connect.ts";
import {
  aConfigMap,
  ConfigMap,
  clientOf,
  fastForward,
  json,
  loopback,
  ManualClock,
  rejection,
  tcpLoopback,
  until,
} from "../loopback.test.support.ts";
import { type Dial, Dialler, type DialTarget } from "./dial.ts";

/** A byte stream that is no socket, as a tunnel gives. */
function plainDuplex(socket: Socket): Duplex {
  const duplex: Duplex = new Duplex({
    read: () => socket.resume(),
    write: (chunk, _encoding, done) => socket.write(chunk, done),
    final: (done) => socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on("data", (chunk) => duplex.push(chunk) || socket.pause());
  socket.on("end", () => duplex.push(null));
  socket.on("error", (error) => duplex.destroy(error));
  return duplex;
}

describe("dial", () => {
  it("opens the connections of calls and streams", async () => {
    const targets: Omit<DialTarget, "signal">[] = [];
    await using server = await loopback((response) => json(response, aConfigMap()));
    const dial = async ({ host, port }: DialTarget): Promise<Duplex> => {
      targets.push({ host, port });
      return plainDuplex(connectTcp(server.port, "127.0.0.1"));
    };
    await using client = clientOf({ url: "http://some.cluster:8080" }, { dial });

    const object = await client.get(ConfigMap, "a", { namespace: "default" });
    const stream = await client.stream({ method: "GET", path: "/x" });
    let streamed = "";
    await stream.pipe((chunk) => {
      streamed += chunk;
    });

    expect(object).to.deep.equal(aConfigMap());
    expect(JSON.parse(streamed)).to.deep.equal(aConfigMap());
    expect(targets).to.deep.equal([
      { host: "some.cluster", port: 8080 },
      { host: "some.cluster", port: 8080 },
    ]);
  });

  it("fails the call with its own error", async () => {
    const clock = new ManualClock();
    const dial = (): Promise<Duplex> => Promise.reject(new Error("the tunnel is down"));
    await using client = clientOf({ url: "http://some.cluster" }, { dial, clock });

    const failed = rejection(client.get(ConfigMap, "a", { namespace: "default" }));

    expect(await fastForward(clock, failed))
      .to.include({ code: 0, reason: "Unreachable" })
      .and.property("message")
      .contains("http://some.cluster cannot be reached: the tunnel is down");
  });

  it("is given up after 10 s, and a stream that comes later is destroyed", async () => {
    const clock = new ManualClock();
    const late = Promise.withResolvers<Duplex>();
    let signal: AbortSignal | undefined;
    const dial = (target: DialTarget): Promise<Duplex> => {
      signal ??= target.signal;
      return late.promise;
    };
    await using client = clientOf({ url: "http://some.cluster" }, { dial, clock });
    const failed = rejection(client.get(ConfigMap, "a", { namespace: "default", timeout: 15_000 }));
    await until(() => clock.waiting().includes(10_000));

    clock.advance(10_000);
    const stream = new Duplex({ read: () => undefined });
    late.resolve(stream);

    await until(() => stream.destroyed);
    expect(signal?.aborted).to.equal(true);
    await client[Symbol.asyncDispose]();
    await failed;
  });

  it("leaves no timer when it throws instead of rejecting", async () => {
    const clock = new ManualClock();
    const dial: Dial = () => {
      throw new Error("no tunnel");
    };
    await using client = clientOf({ url: "http://some.cluster" }, { dial, clock });

    const error = await rejection(client.request({ method: "GET", path: "/" }));

    expect(error).to.match(/no tunnel/);
    expect(clock.waiting()).to.deep.equal([]);
  });
});

describe("a client that is disposed", () => {
  const get = { method: "GET", path: "/" } as const;

  it("tells a dial under way, and leaves no timer", async () => {
    const clock = new ManualClock();
    const signals: AbortSignal[] = [];
    const dial = ({ signal }: DialTarget): Promise<Duplex> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const client = clientOf({ url: "http://some.cluster" }, { dial, clock });
    const failed = rejection(client.request(get));
    await until(() => signals.length === 1);

    await client[Symbol.asyncDispose]();

    expect(await failed).to.include({ code: 0, reason: "Closed" });
    expect(signals[0]?.aborted).to.equal(true);
    expect(clock.waiting()).to.deep.equal([]);
  });

  for (const dialled of [true, false]) {
    it(`ends a TLS handshake under way, ${dialled ? "through dial" : "over TCP"}`, async () => {
      await using silent = await tcpLoopback((socket) => void socket.resume());
      const dial: Dial = async () => plainDuplex(connectTcp(silent.port, "127.0.0.1"));
      const client = connect(
        { server: `https://127.0.0.1:${silent.port}` },
        dialled ? { dial } : {},
      );
      const failed = rejection(client.request(get));
      await until(() => silent.open() === 1);

      await client[Symbol.asyncDispose]();

      expect(await failed).to.include({ code: 0, reason: "Closed" });
      await until(() => silent.open() === 0);
    });
  }
});

describe("the name that is asked of TLS", () => {
  /** Which name a server hears. */
  async function nameHeard(servername: string | undefined): Promise<string> {
    const heard = Promise.withResolvers<string>();
    const server = createTlsServer({
      SNICallback: (name, done) => {
        heard.resolve(name);
        done(new Error("no certificate"));
      },
    });
    server.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const dialler = new Dialler(undefined, systemClock);
    const tls = { rejectUnauthorized: false, ...(servername === undefined ? {} : { servername }) };
    const of = { hostname: "localhost", host: "localhost", protocol: "https:", port: String(port) };
    dialler.connector(tls)({ ...of, servername: "evil.example" }, () => undefined);
    const name = await heard.promise;
    dialler.close(new Error("done"));
    await new Promise((resolve) => server.close(resolve));
    return name;
  }

  it("is the server's own, whatever Host header a request brought", async () => {
    expect(await nameHeard(undefined)).to.equal("localhost");
  });

  it("is tls-server-name where it is set", async () => {
    expect(await nameHeard("other.example")).to.equal("other.example");
  });
});
