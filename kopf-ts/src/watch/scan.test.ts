import { expect } from "chai";
import { hugeObject, type Random, randomObject, seededRandom } from "../testing/index.ts";
import { readObject } from "./event.ts";
import { compareResourceVersions, parseObject, type ScannedObject, scanObject } from "./scan.ts";

const seed = Number(process.env.FUZZ_SEED ?? 20_250_101);
const casesPerTest = Number(process.env.FUZZ_CASES ?? 1_000);

/** What JSON.parse makes of the same bytes, as far as a cache wants to know. */
interface Expected {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly labels: unknown;
  readonly typed: boolean;
  /** The whole object, and the same without managedFields. */
  readonly whole: string;
  readonly stripped: string;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const orEmpty = (value: unknown): unknown => value ?? "";

/** undefined for what no cache can hold: no JSON object, no name, a field of a type that no API server sends. */
function expectedOf(bytes: Buffer): Expected | undefined {
  const object: unknown = JSON.parse(bytes.toString());
  if (!isObject(object) || !isObject(object.metadata)) return undefined;
  const metadata = object.metadata;
  const fields = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] as const;
  const texts = fields.map((field) => orEmpty(metadata[field]));
  const types = [orEmpty(object.kind), orEmpty(object.apiVersion)];
  if (![...texts, ...types].every((text) => typeof text === "string")) return undefined;
  if (texts[0] === "" || !isObject(metadata.labels ?? {})) return undefined;
  const { managedFields: _, ...rest } = metadata;
  return {
    ...(Object.fromEntries(fields.map((field, i) => [field, texts[i]])) as Pick<
      Expected,
      (typeof fields)[number]
    >),
    labels: metadata.labels ?? undefined,
    typed: typeof object.kind === "string" && typeof object.apiVersion === "string",
    whole: JSON.stringify(object),
    stripped: JSON.stringify({ ...object, metadata: rest }),
  };
}

function resultOf(scanned: ScannedObject): Expected {
  const { bytes, start, end, managedFieldsStart: cutStart, managedFieldsEnd: cutEnd } = scanned;
  const { name, namespace, uid, resourceVersion, creationTimestamp, typed } = scanned;
  const parse = (...pieces: Buffer[]): unknown => JSON.parse(Buffer.concat(pieces).toString());
  const whole = bytes.subarray(start, end);
  const stripped =
    cutStart < 0 ? [whole] : [bytes.subarray(start, cutStart), bytes.subarray(cutEnd, end)];
  const { labelsStart, labelsEnd } = scanned;
  const labels = labelsStart < 0 ? undefined : parse(bytes.subarray(labelsStart, labelsEnd));
  expect(bytes[scanned.metadataStart - 1]).to.equal(0x7b);
  expect(bytes[scanned.metadataEnd - 1]).to.equal(0x7d);
  return {
    ...{ name, namespace, uid, resourceVersion, creationTimestamp, labels, typed },
    whole: JSON.stringify(parse(whole)),
    stripped: JSON.stringify(parse(...stripped)),
  };
}

/** The object between bytes that belong to something else, which the scanner must not look at. */
function embed(bytes: Buffer, random: Random): { readonly all: Buffer; readonly start: number } {
  const before = random.pick(["", " ", '{"a":', "]]"]);
  const after = random.pick(["", " ", '"}', "}}}", ',"metadata":{"name":"no"}']);
  return {
    all: Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]),
    start: before.length,
  };
}

function agree(bytes: Buffer, random: Random): "trusted" | "parsed" | "refused" {
  const expected = expectedOf(bytes);
  const { all, start } = embed(bytes, random);

  const trusted = scanObject(all, start, start + bytes.length);
  const scanned = readObject(all, start, start + bytes.length);

  expect(scanned === undefined ? undefined : resultOf(scanned)).to.deep.equal(expected);
  if (trusted !== undefined) return "trusted";
  return scanned === undefined ? "refused" : "parsed";
}

describe("scanObject", () => {
  describe("agrees with JSON.parse", () => {
    for (let part = 0; part < 10; part++) {
      it(`on random objects, part ${part} (seed ${seed + part})`, () => {
        const random = seededRandom(seed + part);
        const seen = { trusted: 0, parsed: 0, refused: 0 };

        for (let i = 0; i < casesPerTest; i++) {
          const bytes = randomObject(random);
          try {
            seen[agree(bytes, random)]++;
          } catch (cause) {
            throw new Error(`FUZZ_SEED=${seed + part}, case ${i}: ${bytes.toString("latin1")}`, {
              cause,
            });
          }
        }

        // The generator must reach all three ways, and the fast one most.
        expect(
          Math.min(seen.trusted, seen.parsed, seen.refused),
          JSON.stringify(seen),
        ).to.be.greaterThan(0);
        expect(seen.trusted, JSON.stringify(seen)).to.be.greaterThan(casesPerTest / 3);
      });
    }

    it("on an object of 1.5 MB that is 1,000 levels deep", () => {
      const bytes = hugeObject(seededRandom(seed), 1_500_000, 1_000);

      expect(bytes.length).to.be.greaterThan(1_500_000);
      expect(agree(bytes, seededRandom(seed))).to.equal("trusted");
    });

    it("on an object 1,000 levels deep that must be parsed", () => {
      const bytes = Buffer.from(
        hugeObject(seededRandom(seed), 100, 1_000).toString().replace("metadata", "metad\\u0061ta"),
      );

      expect(agree(bytes, seededRandom(seed))).to.equal("parsed");
    });
  });

  it("trusts nothing that is cut off, at whatever byte", () => {
    const random = seededRandom(seed);
    for (let i = 0; i < 100; i++) {
      const bytes = randomObject(random);
      for (let end = 0; end < bytes.length; end++) {
        expect(scanObject(bytes, 0, end), bytes.toString("latin1", 0, end)).to.equal(undefined);
      }
    }
  });

  it("stays within its bounds when bytes are damaged", () => {
    const random = seededRandom(seed);
    for (let i = 0; i < 2_000; i++) {
      const bytes = randomObject(random);
      for (let hits = 0; hits < 3; hits++) bytes[random.below(bytes.length)] = random.below(256);

      const scanned = scanObject(bytes, 0, bytes.length);

      if (scanned === undefined) continue;
      expect(scanned.end).to.be.within(2, bytes.length);
      expect(scanned.metadataEnd).to.be.within(scanned.metadataStart, scanned.end);
    }
  });

  for (const { what, json } of [
    { what: "an escaped key", json: '{"met\\u0061data":{"name":"a"}}' },
    { what: "a repeated metadata", json: '{"metadata":{"name":"a"},"metadata":{"name":"b"}}' },
    { what: "a metadata repeated without a name", json: '{"metadata":{"name":"a"},"metadata":{}}' },
    { what: "a repeated name", json: '{"metadata":{"name":"a","name":"b"}}' },
    { what: "repeated labels", json: '{"metadata":{"name":"a","labels":{},"labels":null}}' },
    { what: "a repeated kind", json: '{"kind":"A","kind":"B","metadata":{"name":"a"}}' },
    { what: "a name that is a number", json: '{"metadata":{"name":1}}' },
    { what: "labels that are an array", json: '{"metadata":{"name":"a","labels":[]}}' },
    { what: "no name", json: '{"metadata":{}}' },
    { what: "an empty name", json: '{"metadata":{"name":""}}' },
    { what: "metadata of null", json: '{"metadata":null}' },
    { what: "an array", json: '[{"metadata":{"name":"a"}}]' },
    { what: "a missing comma", json: '{"metadata":{"name":"a"}"kind":"A"}' },
    { what: "a missing colon", json: '{"metadata"{"name":"a"}}' },
    { what: "nothing", json: "" },
  ]) {
    it(`leaves ${what} to JSON.parse`, () => {
      expect(scanObject(Buffer.from(json), 0, json.length)).to.equal(undefined);
    });
  }
});

describe("parseObject", () => {
  it("keeps the digits of numbers", () => {
    const json =
      '{"spec":{"big":9007199254740993,"real":1.0,"\\u0061":1e400},"met\\u0061data":{"name":"a"}}';

    const scanned = parseObject(Buffer.from(json), 0, json.length);

    expect(scanned?.bytes.toString()).to.equal(
      '{"spec":{"big":9007199254740993,"real":1.0,"a":1e400},"metadata":{"name":"a"}}',
    );
  });

  it("throws for what is not JSON", () => {
    expect(() => parseObject(Buffer.from('{"metadata":{"name":"a"}'), 0, 23)).to.throw(SyntaxError);
  });
});

describe("compareResourceVersions", () => {
  for (const [older, newer] of [
    ["", "1"],
    ["9", "10"],
    ["99", "100"],
    ["9007199254740992", "9007199254740993"],
  ] as const) {
    it(`orders ${JSON.stringify(older)} before ${newer}`, () => {
      expect(compareResourceVersions(older, newer)).to.be.lessThan(0);
      expect(compareResourceVersions(newer, older)).to.be.greaterThan(0);
      expect(compareResourceVersions(newer, newer)).to.equal(0);
    });
  }
});
