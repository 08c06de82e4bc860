import { expect } from "chai";
import { hugeObject, type Random, randomObject, seededRandom } from "../../testing/index.ts";
import { parseEvent } from "../event.ts";
import { scanObject } from "../scan.ts";
import { LineFramer } from "./lines.ts";
import { ListSplitter } from "./list.ts";

const seed = Number(process.env.FUZZ_SEED ?? 11);

/** A stream of bytes and what must come out of it, wherever it is cut into chunks. */
interface Sample {
  readonly bytes: Buffer;
  readonly expected: readonly string[];
}

type Reader = (chunks: readonly Buffer[]) => readonly string[];

/** Objects on one line, as an encoder writes them, that a cache can hold. */
function objects(random: Random, size: number): Buffer[] {
  const found: Buffer[] = [];
  for (let bytes = 0; bytes < size; ) {
    const object = randomObject(random);
    if (object.includes(0x0a) || scanObject(object, 0, object.length) === undefined) continue;
    found.push(object);
    bytes += object.length;
  }
  return found;
}

const text = (bytes: Buffer): string => bytes.toString("latin1");

function events(objects: readonly Buffer[]): Sample {
  const lines = objects.map((object) => [
    Buffer.from('{"type":"ADDED","object":'),
    object,
    Buffer.from("}\n"),
  ]);
  return { bytes: Buffer.concat(lines.flat()), expected: objects.map(text) };
}

const readEvents: Reader = (chunks) => {
  const framer = new LineFramer();
  const found: string[] = [];
  for (const chunk of chunks) {
    framer.push(chunk);
    while (framer.next()) {
      const event = parseEvent(framer.bytes, framer.start, framer.end);
      if (!("object" in event) || event.object === undefined) throw new Error("no object");
      const { bytes, start, end } = event.object;
      found.push(text(bytes.subarray(start, end)));
    }
  }
  expect(framer.pending).to.equal(0);
  return found;
};

/** A list whose own members stand before and behind the items, escaped and odd ones among them. */
function list(objects: readonly Buffer[]): Sample {
  const head =
    '{ "kind":"PodList","apiVersion":"v1","n":-1.5e3,"\\u0069\\"x":["items",{"items":[1]}],"items" : [';
  const tail =
    '] ,"metadata":{"resourceVersion":"12","continue":"a\\"b","remainingItemCount":3}}\n';
  const items = objects.flatMap((object, i) =>
    i === 0 ? [object] : [Buffer.from(" ,\n"), object],
  );
  return {
    bytes: Buffer.concat([Buffer.from(head), ...items, Buffer.from(tail)]),
    expected: [...objects.map(text), "12", 'a"b'],
  };
}

const readList: Reader = (chunks) => {
  const splitter = new ListSplitter();
  const found: string[] = [];
  for (const chunk of chunks) {
    splitter.push(chunk);
    while (splitter.next()) {
      found.push(text(splitter.bytes.subarray(splitter.start, splitter.end)));
    }
  }
  expect(splitter.done).to.equal(true);
  return [...found, splitter.metadata.resourceVersion, splitter.metadata.continue];
};

/** Chunks of their own memory, overwritten once read: nobody may hold on to one. */
function* chunksOf(bytes: Buffer, cuts: readonly number[]): Generator<Buffer> {
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    const chunk = Buffer.from(bytes.subarray(from, to));
    yield chunk;
    chunk.fill(0x7d);
    from = to;
  }
}

/** As chai's deep equality, which takes longer than what is tested. */
function compare(found: readonly string[], { expected }: Sample, how: string): void {
  if (found.join("\n") !== expected.join("\n")) expect(found, how).to.deep.equal(expected);
}

const forms: readonly {
  name: string;
  make: (objects: readonly Buffer[]) => Sample;
  read: (chunks: Iterable<Buffer>) => readonly string[];
}[] = [
  { name: "LineFramer", make: events, read: (chunks) => readEvents(chunks as readonly Buffer[]) },
  { name: "ListSplitter", make: list, read: (chunks) => readList(chunks as readonly Buffer[]) },
];

for (const { name, make, read } of forms) {
  describe(name, () => {
    for (const from of [0, 1_024, 2_048, 3_072]) {
      it(`reads the same at every chunk boundary from ${from} to ${from + 1_024} (seed ${seed})`, () => {
        const sample = make(objects(seededRandom(seed), 4_200));
        expect(sample.bytes.length).to.be.greaterThan(4_096);
        for (let cut = from; cut <= from + 1_024; cut++) {
          compare(read(chunksOf(sample.bytes, [cut])), sample, `cut at ${cut}`);
        }
      });
    }

    for (const part of [0, 1, 2, 3]) {
      it(`reads the same at 16 random boundaries beyond (seed ${seed + part})`, () => {
        const random = seededRandom(seed + part);
        const sample = make([
          ...objects(random, 100_000),
          hugeObject(random, 300_000, 1_000),
          ...objects(random, 50_000),
        ]);
        for (let i = 0; i < 16; i++) {
          const cut = 4_097 + random.below(sample.bytes.length - 4_097);
          compare(read(chunksOf(sample.bytes, [cut])), sample, `cut at ${cut}`);
        }
      });
    }

    for (const size of [1, 2, 7, 1_000, 16_384, 65_536]) {
      it(`reads the same in chunks of ${size}`, () => {
        const random = seededRandom(seed + size);
        const sample = make([
          ...objects(random, 5_000),
          hugeObject(random, 20 * size, 20),
          ...objects(random, 5_000),
        ]);
        const cuts = Array.from(
          { length: Math.floor(sample.bytes.length / size) },
          (_, i) => (i + 1) * size,
        );

        compare(read(chunksOf(sample.bytes, cuts)), sample, `in chunks of ${size}`);
      });
    }

    it("hands out an object that lies in one chunk without copying it", () => {
      const { bytes } = make(objects(seededRandom(seed), 1_000));
      const framer = name === "LineFramer" ? new LineFramer() : new ListSplitter();
      framer.push(bytes);

      expect(framer.next()).to.equal(true);
      expect(framer.bytes).to.equal(bytes);
    });

    it("takes time in proportion to the bytes of an object in many small chunks", () => {
      const samples = [500_000, 4_000_000].map(
        (size) => make([hugeObject(seededRandom(seed), size, 10)]).bytes,
      );
      const time = (bytes: Buffer): number => {
        const framer = name === "LineFramer" ? new LineFramer() : new ListSplitter();
        const start = process.cpuUsage();
        for (let i = 0; i < bytes.length; i += 256) {
          framer.push(bytes.subarray(i, i + 256));
          while (framer.next());
        }
        return process.cpuUsage(start).user;
      };
      // 64 times if it were quadratic; what else the process did meanwhile counts as well, so the best of some tries says it.
      const times = Array.from({ length: 8 }, () => samples.map(time));
      const [small, large] = [0, 1].map((at) => Math.min(...times.map((each) => each[at] ?? 0)));

      expect(large).to.be.lessThan(30 * Math.max(small ?? 0, 1_000));
    });

    it("refuses an object above its limit", () => {
      const { bytes } = make([hugeObject(seededRandom(seed), 2_000, 10)]);
      const framer = name === "LineFramer" ? new LineFramer(1_000) : new ListSplitter(1_000);
      const feed = (): void => {
        for (let i = 0; i < bytes.length; i += 100) {
          framer.push(bytes.subarray(i, i + 100));
          while (framer.next());
        }
      };
      expect(feed).to.throw(RangeError);
    });

    it("refuses a chunk before the one before it was read", () => {
      const framer = name === "LineFramer" ? new LineFramer() : new ListSplitter();
      framer.push(Buffer.from("{}\n{}\n"));
      expect(() => framer.push(Buffer.from("{}\n"))).to.throw(Error);
    });
  });
}

describe("LineFramer", () => {
  it("knows how much of a line is still to come", () => {
    const framer = new LineFramer();
    framer.push(Buffer.from("abc\nde"));
    while (framer.next());
    expect(framer.pending).to.equal(2);
  });
});

describe("ListSplitter", () => {
  for (const { what, body, items } of [
    { what: "an empty list", body: '{"items":[],"metadata":{"resourceVersion":"1"}}', items: 0 },
    {
      what: "items of null, as Go writes an empty slice",
      body: '{"metadata":{},"items":null}',
      items: 0,
    },
    { what: "no items at all", body: "{}", items: 0 },
    { what: "one item", body: '{"items":[{}]}', items: 1 },
  ]) {
    it(`reads ${what}`, () => {
      const splitter = new ListSplitter();
      let found = 0;
      splitter.push(Buffer.from(body));
      while (splitter.next()) found++;
      expect({ done: splitter.done, found }).to.deep.equal({ done: true, found: items });
    });
  }

  it("is not done with half a list", () => {
    const splitter = new ListSplitter();
    splitter.push(Buffer.from('{"items":[{},{"a":1}'));
    while (splitter.next());
    expect(splitter.done).to.equal(false);
  });

  for (const body of [
    "[]",
    "null",
    '{"items":[1]}',
    '{"items":[{}{}]}',
    '{"a":1}{}',
    "{1:2}",
    '{"a" 1}',
    '{"a":1 "b":2}',
    "<html>",
  ]) {
    it(`refuses ${body}`, () => {
      const splitter = new ListSplitter();
      splitter.push(Buffer.from(body));
      expect(() => {
        while (splitter.next());
      }).to.throw(SyntaxError);
    });
  }
});
