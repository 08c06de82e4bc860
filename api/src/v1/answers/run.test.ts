import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { joinHeads } from "../../answer-room.ts";
import { Fields } from "../items/fields.ts";
import { deflated } from "../pieces/gzip.ts";
import type { Cell } from "../printers/cell.ts";
import type { Body } from "./body.ts";
import type { Chunk } from "./chunks.ts";
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
    const maker = new RunMaker({ isPacked, expected: 100, now: 0 });
    for (const [index, part] of parts.entries()) {
      if (isPacked && index % 3 === 0) maker.addDeflated(deflated(part));
      else maker.add(part);
    }
    return maker.take({ items: parts.length, until: 5 });
  }

  describe("whose ages go on", () => {
    const begin = Date.parse("2026-01-01T00:00:00Z");
    const at = (seconds: number): number => begin + 1000 * seconds;
    /** Of something that began at -57 s, and of something that did two minutes before, after a container of it at -2 s. */
    const cells: readonly (readonly Cell[])[] = [
      ["é", { since: at(-57) }],
      [{ restarts: 2, since: at(-2) }, "x", { since: at(-177) }],
      ["none"],
    ];
    const ages = (run: Run | undefined): string[] =>
      bytesOf(run).match(/(?<=")[^"]*\d[smh]\b[^"]*/g) ?? [];

    async function aged(
      how: { readonly isTold?: boolean; readonly isPacked?: boolean; readonly size?: number } = {},
    ): Promise<Run> {
      const { isTold = true, isPacked = false, size = 100 } = how;
      const maker = new RunMaker({ isPacked, expected: 3 * size + 1000, now: at(0) });
      for (const [index, row] of cells.entries()) {
        const fields = new Fields(row);
        const bytes = fields.bytesAt(at(0));
        maker.expectFields?.(fields);
        maker.add(Buffer.alloc(size, "abc".charAt(index)));
        maker.add(isTold ? bytes : Buffer.from(bytes));
        maker.add(Buffer.from("}"));
      }
      return maker.take({ items: 3, until: at(1) });
    }
    const bytesOf = (of: Run | undefined): string =>
      Buffer.concat(of?.chunks.map(({ bytes }) => bytes) ?? []).toString();
    const chunkOf = (run: Run | undefined): Chunk | undefined => run?.chunks[0];

    it("is changed where nobody else holds it", async () => {
      const before = await aged();
      const was = bytesOf(before);
      const after = before.at(at(2));
      before.release();

      expect(chunkOf(after)).to.equal(chunkOf(before));
      const is = was
        .replace("57s", "59s")
        .replace("(2s ago)", "(4s ago)")
        .replace("2m57s", "2m59s");
      expect(bytesOf(after)).to.equal(is);
      expect([after?.items, after?.from, after?.until]).to.deep.equal([3, at(2), at(3)]);
    });

    it("is copied with others where somebody else holds it", async () => {
      const before = await aged();
      before.hold();
      const was = bytesOf(before);
      const after = before.at(at(2));

      expect(ages(after)).to.deep.equal(["59s", "2 (4s ago)", "2m59s"]);
      expect(bytesOf(before)).to.equal(was);
      expect([after?.items, after?.from, after?.until]).to.deep.equal([3, at(2), at(3)]);
      after?.hold();
      expect(ages(after?.at(at(1)))).to.deep.equal(["58s", "2 (3s ago)", "2m58s"]);
    });

    it("is copied with others that are shorter or longer, and the copy with others again", async () => {
      const before = await aged();
      const was = bytesOf(before);
      const shorter = before.at(at(3));
      const longer = shorter?.at(at(70));

      expect(bytesOf(before)).to.equal(was);
      expect(ages(shorter)).to.deep.equal(["60s", "2 (5s ago)", "3m"]);
      expect(ages(longer)).to.deep.equal(["2m7s", "2 (72s ago)", "4m7s"]);
      const asLong = longer?.at(at(72));
      expect(chunkOf(asLong)).to.equal(chunkOf(longer));
      const is = was.replace("57s", "2m9s").replace("2s ago", "74s ago").replace("2m57s", "4m9s");
      expect(bytesOf(asLong)).to.equal(is);
      expect([asLong?.items, asLong?.from, asLong?.until]).to.deep.equal([3, at(72), at(73)]);
    });

    it("stays right until the first of its ages changes", async () => {
      const hours = (await aged()).at(at(20 * 60));

      expect(ages(hours)).to.deep.equal(["20m", "2 (20m ago)", "22m"]);
      expect(hours?.until).to.equal(at(20 * 60 + 3)); // of 22m57s
    });

    for (const [what, how] of [
      ["are not parts of items", { isTold: false }],
      ["are packed", { isPacked: true }],
      ["are in several chunks", { size: 1100 * kib }],
    ] as const) {
      it(`is made anew where they ${what}`, async () => {
        expect((await aged(how)).at(at(1))).to.equal(undefined);
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

  it("lies in one chunk when it is packed, whatever was expected", async () => {
    const parts = [300 * kib, 1, 500 * kib].map(bytesOf);
    run = await made(true, parts);

    expect(run.chunks).to.have.length(1);
    expect((await read({ "Accept-Encoding": "gzip" })).includes(Buffer.concat(parts))).to.equal(
      true,
    );
  });
});
