import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { joinHeads } from "../../answer-room.ts";
import type { Body } from "./body.ts";
import { Chunks } from "./chunks.ts";
import { Lane } from "./lane.ts";
import { Reply } from "./reply.ts";

const kib = 1024;
/** Of many sizes, so that they end within chunks. */
const partOf = (index: number, kibs: number): Buffer =>
  Buffer.from(`${index}:`.repeat(kibs * kib).slice(0, kibs * kib + index));

describe("Body", function () {
  this.timeout(30_000);

  let server: Server;
  /** Kept from the first answer, and sent from then on. */
  let body: Body | undefined;
  let parts: readonly Buffer[];
  let sent: Promise<unknown>;
  /** Hears of answers that were just asked for again. */
  let onSend: ((response: ServerResponse) => void) | undefined;
  let isCutShort = false;
  let expected = 0;
  /** What was written from. */
  const rooms = new Set<ArrayBufferLike>();
  /** What was written as one buffer, each time. */
  const written: Buffer[] = [];

  before(async () => {
    server = createServer((asked, response) => {
      const controller = new AbortController();
      response.on("close", () => controller.abort(new Error("the caller has gone")));
      const write = response.write.bind(response) as (...of: readonly unknown[]) => boolean;
      response.write = (bytes: Buffer, ...rest: readonly unknown[]) => {
        rooms.add(bytes.buffer);
        return write(bytes, ...rest);
      };
      const done =
        body?.send(response, controller.signal, new Lane()) ?? first(asked, response, controller);
      sent = done.catch((error: unknown) => error);
      onSend?.(response);
    });
    server.on("connection", (socket: Writable) => {
      const write = socket._write.bind(socket);
      socket._write = (chunk, ...rest) => {
        written.push(chunk);
        write(chunk, ...rest);
      };
      joinHeads(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  beforeEach(() => {
    body = undefined;
    onSend = undefined;
    expected = 0;
  });
  after(() => server.close());

  async function first(
    asked: IncomingMessage,
    response: ServerResponse,
    { signal }: AbortController,
  ): Promise<void> {
    using reply = new Reply(asked, response, signal);
    reply.keep();
    reply.expect(expected);
    for (const part of parts) {
      reply.add(part);
      if (reply.isFull) await reply.flush();
    }
    if (isCutShort) {
      response.end();
      return;
    }
    await reply.end((whole) => {
      whole.hold();
      body = whole;
      expect(reply.length).to.equal(whole.length);
    });
  }

  async function ask(encoding: string): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const headers = { "Accept-Encoding": encoding };
    const asked = request({ port, headers, agent: false }).end();
    asked.on("error", () => undefined);
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    return response;
  }

  async function read(encoding: string): Promise<Buffer> {
    const all = await buffer(await ask(encoding));
    return encoding === "gzip" ? gunzipSync(all) : all;
  }

  it("waits for others of its turn, where it is small and sent again", async () => {
    parts = [partOf(0, 3)];
    const first = await read("identity");
    const ended: boolean[] = [];
    onSend = (response) => {
      const look = (): unknown => ended.push(response.writableEnded);
      process.nextTick(() => queueMicrotask(() => process.nextTick(look))); // behind all microtasks
      setImmediate(look);
    };

    expect((await read("identity")).equals(first)).to.equal(true);
    expect(ended).to.deep.equal([false, true]);
  });

  for (const encoding of ["identity", "gzip"]) {
    for (const [name, sizes] of [
      ["fits into a chunk", [1, 2, 3]],
      ["fits into what waits at most", [20, 200, 700]],
      ["is sent in parts", [900, 900, 900, 900, 900, 900, 900]],
    ] as const) {
      it(`is sent again as it was to many at once in ${encoding}, when it ${name}`, async () => {
        parts = sizes.map((size, index) => partOf(index, size));
        const wanted = Buffer.concat(parts);
        expect((await read(encoding)).equals(wanted)).to.equal(true);

        const again = await Promise.all(Array.from({ length: 10 }, () => read(encoding)));

        for (const each of again) expect(each.equals(wanted)).to.equal(true);
        const last = await ask(encoding);
        last.destroy();
        expect(last.headers).to.include({
          ...{ "content-length": String(body?.length), vary: "Accept-Encoding" },
          ...(encoding === "gzip" && { "content-encoding": "gzip" }),
        });
      });
    }
  }

  for (const [what, kibs] of [
    ["small", 100],
    ["large", 1500],
    ["flushed before its length is known", 3000],
  ] as const) {
    it(`is written with its head before it when it is ${what}`, async () => {
      parts = [partOf(0, kibs)];
      expected = kibs * kib;
      written.length = 0;
      const { length } = await read("identity");

      const sent = Math.min(length, 2048 * kib);
      const inRoom = written.filter(({ buffer }) => buffer === written[0]?.buffer);
      expect(inRoom.reduce((sum, { length }) => sum + length, 0)).to.be.within(
        sent + 100,
        sent + kib,
      );
    });
  }

  it("waits for a slow reader, and ends when they go", async () => {
    parts = Array.from({ length: 24 }, (_, index) => partOf(index, kib));
    await read("identity");
    const slow = await ask("identity");
    slow.pause();
    await new Promise(setImmediate);
    let isOver = false;
    const over = sent.finally(() => {
      isOver = true;
    });
    await read("identity"); // another one is not held up
    expect(isOver).to.equal(false);

    slow.destroy();
    expect(await over).to.be.instanceOf(Error);
  });

  it("leaves its room to others when the answer is not ended", async () => {
    parts = [partOf(0, 4 * kib)];
    isCutShort = true;
    rooms.clear();
    await read("identity");
    isCutShort = false;

    const chunks = new Chunks();
    chunks.expect(kib * kib);
    chunks.add("x");
    const [next] = chunks.take();
    expect(next !== undefined && rooms.has(next.bytes.buffer)).to.equal(true);
    expect(body).to.equal(undefined);
  });

  it("may be released while it is sent", async () => {
    parts = Array.from({ length: 6 }, (_, index) => partOf(index, kib));
    const wanted = await read("identity");
    const slow = await ask("identity");
    const kept = body;
    body = undefined;
    kept?.release();
    parts = parts.map((part) => Buffer.alloc(part.length, "other"));
    for (let index = 0; index < 3; index++) await read("identity"); // in room of its own
    body = undefined;

    expect((await buffer(slow)).equals(wanted)).to.equal(true);
  });
});
