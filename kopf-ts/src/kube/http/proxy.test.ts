import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect as connectTcp, type Socket } from "node:net";
import { expect } from "chai";
import { connect } from "../connect.ts";
import {
  aConfigMap,
  ConfigMap,
  deadPort,
  fastForward,
  json,
  loopback,
  ManualClock,
  rejection,
} from "../loopback.test.support.ts";
import { parseProxy } from "./proxy.ts";

interface TestProxy extends AsyncDisposable {
  readonly port: number;
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[];
}

/** A proxy that leads everything to `port`, or answers `refusal`. */
async function startProxy(port: number, refusal?: string): Promise<TestProxy> {
  const asked: TestProxy["asked"] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    asked.push({
      target: request.url ?? "",
      authorization: request.headers["proxy-authorization"],
    });
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    const onward = connectTcp(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on("error", () => undefined);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("a proxy", () => {
  it("leads to the server and is told who asks", async () => {
    await using server = await loopback((response) => json(response, aConfigMap()));
    await using proxy = await startProxy(server.port);
    await using client = connect(
      {
        server: "http://some.cluster:8080",
        proxyUrl: () => `http://me:p%40ss@127.0.0.1:${proxy.port}`,
      },
      { kinds: [ConfigMap] },
    );

    const object = await client.get(ConfigMap, "a", { namespace: "default" });

    expect(object).to.deep.equal(aConfigMap());
    expect(proxy.asked).to.deep.equal([
      {
        target: "some.cluster:8080",
        authorization: `Basic ${Buffer.from("me:p@ss").toString("base64")}`,
      },
    ]);
  });

  it("is named when it refuses", async () => {
    await using proxy = await startProxy(0, "407 Proxy Authentication Required");
    const proxyUrl = `http://me:s3cret@127.0.0.1:${proxy.port}`;
    await using client = connect({ server: "http://some.cluster:8080", proxyUrl });

    const error = await rejection(client.get(ConfigMap, "a", { namespace: "default" }));

    expect(error)
      .to.property("message")
      .contains(`cannot be reached: the proxy http://127.0.0.1:${proxy.port} answered 407`);
    expect(String(error)).not.to.contain("s3cret");
  });

  it("is named when it is away", async () => {
    const clock = new ManualClock();
    const proxyUrl = `http://127.0.0.1:${await deadPort()}`;
    await using client = connect({ server: "http://some.cluster", proxyUrl }, { clock });

    const failed = rejection(client.get(ConfigMap, "a", { namespace: "default" }));

    expect(await fastForward(clock, failed))
      .to.property("message")
      .contains(`the proxy ${proxyUrl} cannot be reached: connect ECONNREFUSED`);
  });
});

describe("parseProxy", () => {
  for (const [text, message] of [
    ["socks5://user:s3cret@host:1080", /^proxy-url is of the scheme socks5:, but only http/],
    ["proxy.example.com:8080", /^proxy-url is of the scheme proxy.example.com:, but/],
    ["http://user:%zzs3cret@host:1080", /^proxy-url has a user or password with a % that/],
    ["not a url", /^proxy-url is no URL, but/],
  ] as const) {
    it(`refuses ${text}`, () => expect(() => parseProxy(text)).to.throw(message));
  }
});
