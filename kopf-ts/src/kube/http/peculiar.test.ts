import type { Socket } from "node:net";
import { expect } from "chai";
import type { Client } from "../client.ts";
import {
  aConfigMap,
  ConfigMap,
  clientOf,
  fail,
  json,
  loopback,
  tcpLoopback,
  until,
} from "../loopback.test.support.ts";

const text = JSON.stringify(aConfigMap("ä"));
const bytes = Buffer.from(text);
const get = (client: Client): Promise<unknown> =>
  client.get(ConfigMap, "a", { namespace: "default", timeout: 1_500 });

/** Answers every request on the socket with the bytes, whatever it asks. */
const always =
  (answer: (socket: Socket) => void) =>
  (socket: Socket): void =>
    void socket.on("data", () => answer(socket));

describe("answers that are right but peculiar", () => {
  for (const [name, answer] of [
    [
      "byte by byte",
      (socket: Socket) => {
        const whole = Buffer.from(
          `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n${text}`,
        );
        const next = (index: number): void => {
          if (index === whole.length) return;
          socket.write(whole.subarray(index, index + 1), () => next(index + 1));
        };
        socket.setNoDelay(true);
        next(0);
      },
    ],
    [
      "in chunks that cut characters",
      (socket: Socket) => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        for (const byte of bytes) {
          socket.write(Buffer.concat([Buffer.from("1\r\n"), Buffer.of(byte), Buffer.from("\r\n")]));
        }
        socket.write("0\r\n\r\n");
      },
    ],
    [
      "without a length, ended by the connection",
      (socket: Socket) => void socket.end(`HTTP/1.1 200 OK\r\n\r\n${text}`),
    ],
    [
      "by HTTP/1.0",
      (socket: Socket) =>
        void socket.end(`HTTP/1.0 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n${text}`),
    ],
    [
      "after early hints",
      (socket: Socket) =>
        void socket.write(
          `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n${text}`,
        ),
    ],
    [
      "with the connection closed behind each",
      (socket: Socket) =>
        void socket.end(
          `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${bytes.length}\r\n\r\n${text}`,
        ),
    ],
  ] as const) {
    it(`are read: ${name}`, async () => {
      await using server = await tcpLoopback(always(answer));
      await using client = clientOf(server);

      for (let call = 0; call < 3; call++) {
        expect(await get(client)).to.deep.equal(aConfigMap("ä"));
      }
    });
  }

  it("are read: an object of 1.5 MB", async () => {
    const big = { ...aConfigMap(), data: { x: "é".repeat(750_000) } };
    await using server = await loopback((response) => json(response, big));
    await using client = clientOf(server);

    expect(await get(client)).to.deep.equal(big);
  });

  it("are read: a raw answer without content", async () => {
    await using server = await loopback((response) => void response.writeHead(204).end());
    await using client = clientOf(server);

    const { status, body } = await client.request({ method: "GET", path: "/x" });

    expect([status, body.length]).to.deep.equal([204, 0]);
  });

  it("are read: a raw answer 304, and headers that come several times", async () => {
    await using server = await loopback((response) => {
      response.writeHead(304, { "set-cookie": ["a=1", "b=2"], ETag: '"x"' }).end();
    });
    await using client = clientOf(server);

    const { status, headers } = await client.request({ method: "GET", path: "/x" });

    expect(status).to.equal(304);
    expect(headers).to.deep.include({ etag: '"x"', "set-cookie": ["a=1", "b=2"] });
  });
});

describe("bodies that are sent", () => {
  it("keep every character, and their length is right", async () => {
    await using server = await loopback((response) => json(response, aConfigMap()));
    await using client = clientOf(server);
    const object = { ...aConfigMap(), data: { x: 'ä 田 🚜 \u2028 \\ "' } };

    await client.create(object);
    await client.request({ method: "POST", path: "/x", body: Buffer.from("ä 田") });

    expect(JSON.parse(server.seen[0]?.body ?? "")).to.deep.equal(object);
    expect(server.seen[1]?.body).to.equal("ä 田");
  });

  it("are sent again whole with each repetition", async () => {
    await using server = await loopback((response, _request, index) =>
      index === 0 ? fail(response, 429) : json(response, aConfigMap()),
    );
    await using client = clientOf(server);

    await client.request({ method: "POST", path: "/x", body: Buffer.from("whole") });

    expect(server.seen.map(({ body }) => body)).to.deep.equal(["whole", "whole"]);
  });
});

describe("many calls at a server that loses every fifth connection", () => {
  it("get their own answers, each once", async function () {
    this.timeout(10_000);
    await using server = await loopback(async (response, { path }, index) => {
      if (index % 5 === 0) return void response.socket?.destroy();
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (index % 3 === 0) await new Promise(setImmediate);
      json(response, aConfigMap(name));
    });
    await using client = clientOf(server, { maxConnections: 8 });
    const names = Array.from({ length: 400 }, (_, index) => `n${index}`);

    const results = await Promise.allSettled(
      names.map((name) => client.get(ConfigMap, name, { namespace: "default" })),
    );

    const answered = results.flatMap((result, index) =>
      result.status === "fulfilled" ? [[names[index], result.value.metadata.name]] : [],
    );
    expect(answered.every(([asked, got]) => asked === got)).to.equal(true);
    expect(answered.length).to.be.greaterThan(395); // 5 losses in a row happen to one in 3,000
  });

  it("pass failures on to those they belong to", async () => {
    await using server = await loopback((response, { path }) =>
      path.endsWith("7") ? fail(response, 404, "NotFound") : json(response, aConfigMap()),
    );
    await using client = clientOf(server, { maxConnections: 4 });

    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        client.get(ConfigMap, `n${index}`, { namespace: "default" }),
      ),
    );

    const failed = results.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
    expect(failed).to.deep.equal([7, 17, 27, 37, 47, 57, 67, 77, 87, 97]);
  });
});

describe("a server that answers before it was asked", () => {
  it("does not give its answer to the next call", async () => {
    await using server = await tcpLoopback(
      always((socket) => {
        const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n${text}`;
        socket.write(answer);
        setImmediate(() => socket.write(answer));
      }),
    );
    await using client = clientOf(server, { maxConnections: 1 });
    await get(client);
    await until(() => server.open() === 0, "the connection is given up");

    expect(await get(client)).to.deep.equal(aConfigMap("ä"));
    expect(server.connections()).to.equal(2);
  });
});
