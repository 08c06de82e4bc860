import { expect } from "chai";
import { type Random, randomObject, seededRandom } from "../../testing/index.ts";
import { findPath, type JsonPath, PathScanner } from "./path.ts";
import { decodeScalar } from "./text.ts";

const seed = Number(process.env.FUZZ_SEED ?? 7);

/** What JSON.parse finds on a path; an index leads into arrays only, a key into objects only. */
function lookup(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((at, step) => {
    if (typeof at !== "object" || at === null) return undefined;
    if (Array.isArray(at) !== (typeof step === "number")) return undefined;
    return Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined;
  }, value);
}

/** Paths that are there, and some that are not. */
function randomPaths(value: unknown, random: Random): JsonPath[] {
  const walk = (at: unknown): (string | number)[] => {
    if (typeof at !== "object" || at === null || random.chance(0.2)) return [];
    const steps = Array.isArray(at) ? [...at.keys()] : Object.keys(at);
    const [first, ...rest] = steps;
    if (first === undefined) return [random.pick<string | number>(["a", 0])];
    const step = random.pick<string | number>([first, ...rest]);
    return [step, ...walk(Reflect.get(at, step))];
  };
  return Array.from({ length: 8 }, () => [
    ...walk(value),
    ...(random.chance(0.1) ? ["zzz", 3] : []),
  ]);
}

describe("PathScanner", () => {
  for (let part = 0; part < 4; part++) {
    it(`finds what JSON.parse finds (seed ${seed + part})`, () => {
      const random = seededRandom(seed + part);
      for (let i = 0; i < 1_000; i++) {
        const bytes = randomObject(random);
        const value: unknown = JSON.parse(bytes.toString());
        const paths = randomPaths(value, random);
        const scanner = new PathScanner(paths);

        const whole = scanner.scan(bytes, 0, bytes.length);

        expect(whole).to.equal(true);
        for (const [index, path] of paths.entries()) {
          const [start = -1, end = -1] = [scanner.starts[index], scanner.ends[index]];
          const found = start < 0 ? undefined : JSON.parse(bytes.toString("utf8", start, end));
          expect(found, `FUZZ_SEED=${seed + part} ${JSON.stringify(path)} ${bytes}`).to.deep.equal(
            lookup(value, path),
          );
        }
      }
    });
  }

  it("finds nothing in an object that is cut off", () => {
    const scanner = new PathScanner([["a"], ["b", "c"], ["d", 1]]);
    const bytes = Buffer.from('{"a":1,"b":{"c":"x"},"d":[0,[{}]]}');
    for (let end = 0; end < bytes.length; end++) {
      expect(scanner.scan(bytes, 0, end)).to.equal(false);
      expect([...scanner.starts]).to.deep.equal([-1, -1, -1]);
    }
  });

  it("forgets the object before", () => {
    const scanner = new PathScanner([["a"], ["b", "c"]]);
    const [first, second] = [Buffer.from('{"a":1,"b":{"c":2}}'), Buffer.from('{"b":{}}')];

    scanner.scan(first, 0, first.length);
    scanner.scan(second, 0, second.length);

    expect([...scanner.starts, ...scanner.ends]).to.deep.equal([-1, -1, -1, -1]);
  });

  for (const { what, json, path, found } of [
    { what: "the last of repeated keys", json: '{"a":1,"a":2}', path: ["a"], found: "2" },
    {
      what: "nothing below a key that is repeated without it",
      json: '{"a":{"b":1},"a":{}}',
      path: ["a", "b"],
      found: undefined,
    },
    { what: "an escaped key", json: '{"\\u0061":1}', path: ["a"], found: "1" },
    { what: "a key that is not ASCII", json: '{"é":1}', path: ["é"], found: "1" },
    { what: "an element", json: '{"a":[1,[2,3]]}', path: ["a", 1, 0], found: "2" },
    {
      what: "nothing beyond the end of an array",
      json: '{"a":[1]}',
      path: ["a", 1],
      found: undefined,
    },
    { what: "a whole object", json: '{"a": {"b" : 1} }', path: ["a"], found: '{"b" : 1}' },
    { what: "everything for the empty path", json: '{"a":1}', path: [], found: '{"a":1}' },
    { what: "a key that Go escapes", json: '{"a\\u0026b":1}', path: ["a&b"], found: "1" },
    { what: "no key by its bytes alone", json: '{"a\\b":1}', path: ["a\\b"], found: undefined },
    { what: "a key with a line break", json: '{"a\\nb\\"":1}', path: ['a\nb"'], found: "1" },
    {
      what: "an escaped key beyond ASCII",
      json: '{"\\u00e9😀\\ud83d\\ude00":1}',
      path: ["é😀😀"],
      found: "1",
    },
    { what: "no part of an escaped key", json: '{"ab\\u0063":1}', path: ["ab"], found: undefined },
    {
      what: "a key named like something inherited",
      json: '{"constructor":"x"}',
      path: ["constructor"],
      found: '"x"',
    },
  ] satisfies readonly {
    what: string;
    json: string;
    path: JsonPath;
    found: string | undefined;
  }[]) {
    it(`finds ${what}`, () => {
      const bytes = Buffer.from(json);
      const range = findPath(bytes, 0, bytes.length, path);
      expect(range && bytes.toString("utf8", range.start, range.end)).to.equal(found);
    });
  }
});

describe("decodeScalar", () => {
  for (const { json, value } of [
    { json: '"plain"', value: "plain" },
    { json: '"esc\\n\\u00e9\\ud83d\\ude00"', value: "esc\né😀" },
    { json: '"é東😀"', value: "é東😀" },
    { json: '""', value: "" },
    { json: "-1.5e3", value: -1500 },
    { json: "9007199254740993", value: 9007199254740993n },
    { json: "true", value: true },
    { json: "null", value: null },
    { json: "{}", value: undefined },
    { json: "[1]", value: undefined },
  ]) {
    it(`reads ${json}`, () => {
      const bytes = Buffer.from(json);
      expect(decodeScalar(bytes, 0, bytes.length)).to.equal(value);
    });
  }

  it("reads invalid UTF-8 as JSON.parse of the decoded text does", () => {
    const bytes = Buffer.from([0x22, 0x61, 0xff, 0xc3, 0x5c, 0x6e, 0x22]);
    expect(decodeScalar(bytes, 0, bytes.length)).to.equal(JSON.parse(bytes.toString()));
  });
});
