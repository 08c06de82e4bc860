import { connect as connectTcp, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect } from "chai";
import {
  aConfigMap,
  ConfigMap,
  clientOf,
  fastForward,
  json,
  loopback,
  ManualClock,
  rejection,
  until,
} from "../loopback.test.support.ts";
import type { DialTarget } from "./dial.ts";

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
});
