import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { joinHeads } from "../../answer-room.ts";
import { deflated } from "../pieces/gzip.ts";
import type { Body } from "./body.ts";
import { Lane } from "./lane.ts";
import { Reply } from "./reply.ts";
import { type Run, RunMaker } from "./run.ts";

const kib = 1024;
const random = seededRandom(7);

/** Next to nothing can be taken from it. */
function bytesOf(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, () => random.below(256)));
}

describe("Run", function () {
  this.timeout(30_000);

  let server: Server;
  let run: Run;
  let beginning = "";
  let end = "";
  let flushes = false;
  let kept: Body | undefined;
  /** Kept before, and sent now. */
  let body: Body | undefined;

  before(async () => {
    server = createServer((asked, response) => {
      const { signal } = new AbortController();
      if (body !== undefined) void body.send(response, signal, new Lane());
      else void answer(asked, new Reply(asked, response, signal));
    });
    server.on("connection", (socket: Writable) => joinHeads(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => server.close());
  beforeEach(() => {
    beginning = `{"n":${random.below(1000)},"data":[`;
    end = "]}\n";
    flushes = false;
    body = undefined;
  });

  async function answer(asked: IncomingMessage, made: Reply): Promise<void> {
    using reply = made;
    if (asked.headers["x-keep"] !== undefined) reply.keep();
    reply.expect(beginning.length);
    reply.text(String(asked.headers["x-beginning"] ?? beginning));
    reply.addRun(run);
    if (flushes) await reply.flush();
    reply.text(end);
    await reply.end((whole) => {
      whole.hold();
      kept = whole;
    });
  }

  async function read(headers: Readonly<Record<string, string>>): Promise<Buffer> {
    const { port } = server.address() as AddressInfo;
    const asked = request({ port, headers, agent: false }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const all = await buffer(response);
    if (!flushes) expect(response.headers["content-length"]).to.equal(String(all.length));
    return response.headers["content-encoding"] === "gzip" ? gunzipSync(all) : all;
  }

  async function made(isPacked: boolean, parts: readonly Buffer[]): Promise<Run> {
    const maker = new RunMaker(isPacked, 100);
    for (const [index, part] of parts.entries()) {
      if (isPacked && index % 3 === 0) maker.addDeflated(deflated(part));
      else maker.add(part);
    }
    return maker.take({ items: parts.length, from: 0, until: 5 });
  }

  describe("whose ages go on", () => {
    const fields = (age: string): Buffer => Buffer.from(`"fields":["é","${age}"],`);

    /** Two items, whose fields are told apart. */
    async function aged(isTold = true, isPacked = false, size = 100): Promise<Run> {
      const maker = new RunMaker(isPacked, 2 * size + 1000);
      for (const [index, age] of ["59s", "2m"].entries()) {
        const own = fields(age);
        maker.expectFields?.(isTold ? own : Buffer.from(own));
        for (const part of [Buffer.alloc(size, `${index}`), own, Buffer.from("}")]) maker.add(part);
      }
      return maker.take({ items: 2, from: 0, until: 5 });
    }
    const texts = (...ages: readonly string[]): readonly string[] =>
      ages.map((age) => String(fields(age)));
    const bytesOf = (of: Run | undefined): string =>
      Buffer.concat(of?.chunks.map(({ bytes }) => bytes) ?? []).toString();

    it("is changed where nobody else holds it", async () => {
      const before = await aged();
      const was = bytesOf(before);
      const after = before.with(texts("60s", "9m"), { from: 5, until: 9 });

      expect(after?.chunks[0]).to.equal(before.chunks[0]);
      before.release();
      expect(bytesOf(after)).to.equal(was.replace("59s", "60s").replace("2m", "9m"));
    });

    it("is copied with others, where they are as long", async () => {
      const before = await aged();
      before.hold();
      const was = bytesOf(before);
      const after = before.with(texts("60s", "9m"), { from: 5, until: 9 });

      expect(bytesOf(after)).to.equal(was.replace("59s", "60s").replace("2m", "9m"));
      expect(bytesOf(before)).to.equal(was);
      expect([after?.items, after?.from, after?.until]).to.deep.equal([2, 5, 9]);
      after?.hold();
      const again = after?.with(texts("61s", "8m"), { from: 9, until: 10 });
      expect(bytesOf(again)).to.equal(was.replace("59s", "61s").replace("2m", "8m"));
    });

    for (const [what, of, ages] of [
      ["are longer", () => aged(), ["60s", "10m"]],
      ["are fewer", () => aged(), ["60s"]],
      ["are not parts of items", () => aged(false), ["60s", "3m"]],
      ["are packed", () => aged(true, true), ["60s", "3m"]],
      ["are in several chunks", () => aged(true, false, 1100 * kib), ["60s", "3m"]],
    ] as const) {
      it(`is made anew where they ${what}`, async () => {
        expect((await of()).with(texts(...ages), { from: 5, until: 9 })).to.equal(undefined);
      });
    }
  });

  for (const encoding of ["identity", "gzip"]) {
    const isPacked = encoding === "gzip";
    const headers = { "Accept-Encoding": encoding };
    for (const [what, sizes] of [
      ["short", [1, 2, 3]],
      ["as long as a page", [300 * kib, 1, 10_000, 500 * kib]],
      ["longer than waits for a caller", [1500 * kib, 1500 * kib]],
    ] as const) {
      describe(`in ${encoding}, ${what}`, () => {
        let wanted: Buffer;

        beforeEach(async () => {
          const parts = sizes.map(bytesOf);
          run = await made(isPacked, parts);
          wanted = Buffer.concat(parts);
        });

        const between = (first: string, last: string): Buffer =>
          Buffer.concat([Buffer.from(first), wanted, Buffer.from(last)]);

        it("stands in answers, with what is around it in each, to many at once", async () => {
          const all = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(index * 200));
          const answers = await Promise.all(
            all.map((each) => read({ ...headers, "X-Beginning": each })),
          );

          for (const [index, each] of answers.entries())
            expect(each.equals(between(all[index] ?? "", end))).to.equal(true);
          expect([run.items, run.until]).to.deep.equal([sizes.length, 5]);
        });

        it("is sent before the rest of a long answer", async () => {
          flushes = true;
          end = "x".repeat(3000);

          expect((await read(headers)).equals(between(beginning, end))).to.equal(true);
        });

        it("stands in a body that is kept, after others let go of it", async () => {
          await read({ ...headers, "X-Keep": "" });
          body = kept;
          run.release();
          const other = await made(isPacked, [Buffer.alloc(wanted.length, "other")]);
          const again = await Promise.all([read(headers), read(headers)]);

          for (const each of again) expect(each.equals(between(beginning, end))).to.equal(true);
          expect(body?.length).to.be.greaterThan(run.length);
          other.release();
        });

        it("leaves its room to others once nobody holds it", async () => {
          await read(headers);
          const [chunk] = run.chunks;
          run.release();
          const next = await made(isPacked, sizes.map(bytesOf));

          const rooms = next.chunks.map(({ bytes }) => bytes.buffer);
          expect(rooms).to.include(chunk?.bytes.buffer);
        });
      });
    }
  }
});
