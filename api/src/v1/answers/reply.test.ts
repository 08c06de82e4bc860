import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { Reply } from "./reply.ts";

/** Long enough that nobody's buffers hold it. */
const chunk = Buffer.alloc(1024 * 1024, "0123456789abcdef");
const chunks = 24;

describe("Reply", function () {
  this.timeout(30_000);

  let server: Server;
  let write: (reply: Reply) => Promise<void>;
  let ended: Promise<unknown>;

  before(async () => {
    server = createServer((asked, response) => {
      const controller = new AbortController();
      response.on("close", () => controller.abort(new Error("the caller has gone")));
      const done = write(new Reply(asked, response, controller.signal));
      ended = done.catch((error: unknown) => error);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => server.close());

  async function ask(headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, headers, agent: false }).end();
    sent.on("error", () => undefined);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  }

  async function writeAll(reply: Reply, written: { count: number }): Promise<void> {
    for (let index = 0; index < chunks; index++) {
      reply.add(chunk);
      if (reply.isFull) await reply.flush();
      written.count++;
    }
    await reply.end();
  }

  it("sends what is small in one go", async () => {
    write = async (reply) => {
      reply.text("héllo ");
      for (const part of ["you", "!"]) reply.add(Buffer.from(part));
      await reply.end();
    };
    const response = await ask({ "Accept-Encoding": "gzip" });

    expect(response.headers).to.include({ "content-length": "11" });
    expect((await buffer(response)).toString()).to.equal("héllo you!");
  });

  for (const encoding of ["identity", "gzip"]) {
    it(`waits for a slow reader of ${encoding}`, async () => {
      const written = { count: 0 };
      write = async (reply) => writeAll(reply, written);
      const response = await ask({ "Accept-Encoding": encoding });
      response.pause();
      const before = written.count;
      const body = await buffer(response);
      const plain = encoding === "gzip" ? gunzipSync(body) : body;

      if (encoding === "identity") expect(before).to.be.below(chunks);
      expect(plain.length).to.equal(chunks * chunk.length);
      expect(plain.subarray(-16).toString()).to.equal("0123456789abcdef");
      await ended;
      expect(written.count).to.equal(chunks);
    });

    it(`ends when a reader of ${encoding} goes`, async () => {
      let cut = false;
      write = async (reply) => {
        for (;;) {
          reply.add(chunk);
          await reply.flush();
          if (cut) await new Promise(setImmediate);
        }
      };
      const response = await ask({ "Accept-Encoding": encoding });
      response.destroy();
      cut = true;

      expect(await ended).to.be.instanceOf(Error);
      const isClosed = async () => (await connections()) === 0;
      await eventually(isClosed, { within: 10_000 });
    });
  }

  it("keeps the bytes of many readers apart, slow ones and ones that go", async () => {
    let next = 0;
    write = async (reply) => {
      const own = Buffer.alloc(300_000, `${next++ % 1000} `.padStart(4, "0"));
      for (let index = 0; index < 8; index++) {
        reply.add(own);
        if (reply.isFull) await reply.flush();
      }
      await reply.end();
    };
    const read = async (index: number): Promise<boolean> => {
      const response = await ask({ "Accept-Encoding": index % 2 === 0 ? "identity" : "gzip" });
      if (index % 5 === 0) return response.destroy().destroyed;
      if (index % 3 === 0) await new Promise(setImmediate);
      const sent = await buffer(response);
      const body = index % 2 === 0 ? sent : gunzipSync(sent);
      return body.equals(Buffer.alloc(8 * 300_000, body.subarray(0, 4)));
    };

    const all = await Promise.all(Array.from({ length: 60 }, (_, index) => read(index)));

    expect(all).to.not.include(false);
    expect(next).to.equal(60);
  });

  function connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  it("knows what its reader has", async () => {
    write = async (reply) => {
      reply.text("same");
      await reply.end();
    };
    const { headers } = await ask({ "If-None-Match": '""' });
    const tag = headers.etag ?? "";
    const statusOf = async (asked: string) => (await ask({ "If-None-Match": asked })).statusCode;

    expect(tag).to.match(/^W\/"[\w-]{27}"$/);
    expect(await statusOf(tag)).to.equal(304);
    expect(await statusOf(tag.slice(2))).to.equal(304);
    expect(await statusOf(`"a", ${tag}`)).to.equal(304);
    expect(await statusOf("*")).to.equal(304);
    expect(await statusOf('"a"')).to.equal(200);
    expect(await statusOf('"a,*,b"')).to.equal(200);
  });

  for (const [accepted, isPacked] of [
    ["gzip", true],
    ["GZIP;q=0.5, br", true],
    ["*", true],
    ["br, deflate", false],
    ["gzip;q=0", false],
    ["gzip;q=0.000, *", false],
    ["gzip;q=0.1, identity;q=1", false],
    ["gzip;q=1.0, identity;q=0.5, *;q=0", true],
    ["", false],
  ] as const) {
    it(`${isPacked ? "packs" : "does not pack"} for Accept-Encoding: ${accepted}`, async () => {
      write = async (reply) => {
        reply.text("x".repeat(2000));
        await reply.end();
      };
      const response = await ask({ "Accept-Encoding": accepted });

      expect(response.headers["content-encoding"]).to.equal(isPacked ? "gzip" : undefined);
      expect(response.headers.vary).to.equal("Accept-Encoding");
      response.resume();
    });
  }

  it("tells apart what two accept, however often they ask", async () => {
    write = async (reply) => {
      reply.text("x".repeat(2000));
      await reply.end();
    };
    for (let time = 0; time < 4; time++) {
      for (const [accepted, packed] of [
        ["gzip;q=1", "gzip"],
        ["gzip;q=0", undefined],
      ] as const) {
        const response = await ask({ "Accept-Encoding": accepted });
        expect(response.headers["content-encoding"]).to.equal(packed);
        response.resume();
      }
    }
  });
});
