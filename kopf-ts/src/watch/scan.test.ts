import { expect } from "chai";
import { hugeObject, type Random, randomObject, seededRandom } from "../testing/index.ts";
import { compareResourceVersions, type ScannedObject, scanObject } from "./scan.ts";

const seed = Number(process.env.FUZZ_SEED ?? 20_250_101);
const soak = process.env.DROVER_SOAK !== undefined;
/** Together 10,000 objects, in `make soak` 1,000,000; a second or so each, so that progress shows. */
const parts = soak ? 100 : 10;
const casesPerTest = Number(process.env.FUZZ_CASES ?? (soak ? 10_000 : 1_000));

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

function namesTwice(text: string, key: string): boolean {
  const plain = text.replace(/\\u00([2-7][0-9a-f])/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return plain.split(`"${key}"`).length > 2;
}

function agree(bytes: Buffer, random: Random): "found" | "refused" {
  const expected = expectedOf(bytes);
  const { all, start } = embed(bytes, random);

  const scanned = scanObject(all, start, start + bytes.length);

  // managedFields that come twice stay where they are.
  const stays = scanned?.managedFieldsStart === -1 && namesTwice(bytes.toString(), "managedFields");
  expect(scanned === undefined ? undefined : resultOf(scanned)).to.deep.equal(
    expected && stays ? { ...expected, stripped: expected.whole } : expected,
  );
  return scanned === undefined ? "refused" : "found";
}

describe("scanObject", () => {
  describe("agrees with JSON.parse @soak", function () {
    if (casesPerTest > 1_000) this.timeout(0);

    for (let part = 0; part < parts; part++) {
      it(`on random objects, part ${part} (seed ${seed + part})`, () => {
        const random = seededRandom(seed + part);
        const seen = { found: 0, refused: 0 };

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

        // The generator must reach both ways.
        expect(seen.refused, JSON.stringify(seen)).to.be.greaterThan(0);
        expect(seen.found, JSON.stringify(seen)).to.be.greaterThan(casesPerTest / 3);
      });
    }

    it("on an object of 1.5 MB that is 1,000 levels deep", () => {
      const bytes = hugeObject(seededRandom(seed), 1_500_000, 1_000);

      expect(bytes.length).to.be.greaterThan(1_500_000);
      expect(agree(bytes, seededRandom(seed))).to.equal("found");
    });

    for (const { what, json } of [
      {
        what: "escaped keys",
        json: '{"a\\u0026b":1,"met\\u0061data":{"n\\u0061me":"a","x\\n":2}}',
      },
      { what: "broken escapes", json: '{"metadata":{"name":"a"},"s\\/pec":1,"\\ud83d\\ude00":2}' },
      {
        what: "a repeated metadata",
        json: '{"metadata":{"name":"a","uid":"u"},"metadata":{"name":"b"}}',
      },
      {
        what: "a metadata repeated without a name",
        json: '{"metadata":{"name":"a"},"metadata":{}}',
      },
      { what: "a metadata repeated as null", json: '{"metadata":{"name":"a"},"metadata":null}' },
      {
        what: "a metadata repeated after a number",
        json: '{"metadata":1,"metadata":{"name":"a"}}',
      },
      { what: "a repeated name", json: '{"metadata":{"name":"a","name":"b"}}' },
      { what: "a name repeated as null", json: '{"metadata":{"name":"a","name":null}}' },
      { what: "a name repeated after a number", json: '{"metadata":{"name":1,"name":"a"}}' },
      { what: "a name repeated as a number", json: '{"metadata":{"name":"a","name":1}}' },
      {
        what: "repeated labels",
        json: '{"metadata":{"name":"a","labels":{"a":"b"},"labels":null}}',
      },
      {
        what: "labels repeated after an array",
        json: '{"metadata":{"labels":[],"name":"a","labels":{}}}',
      },
      {
        what: "a repeated kind",
        json: '{"kind":1,"kind":"B","apiVersion":"v1","metadata":{"name":"a"}}',
      },
    ]) {
      it(`on ${what}`, () => {
        agree(Buffer.from(json), seededRandom(seed));
      });
    }
  });

  it("leaves managedFields that come twice where they are", () => {
    const json = Buffer.from('{"metadata":{"name":"a","managedFields":[1],"managedFields":[2]}}');

    const scanned = scanObject(json, 0, json.length);

    expect(scanned).to.include({ managedFieldsStart: -1, managedFieldsEnd: -1, name: "a" });
  });

  for (const { what, key } of [
    { what: "an escaped key, as Go writes a&b", key: "a\\u0026b" },
    { what: "an escaped metadata", key: "m\\u0065tadata" },
  ]) {
    it(`reads an object with ${what} whatever its depth`, () => {
      const metadata = '{"name":"a","n\\u0026":1,"resourceVersion":"7"}';
      for (const depth of [1_000, 3_000, 10_000, 300_000]) {
        const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
        const own = key.startsWith("m") ? `"${key}"` : `"${key}":1,"metadata"`;
        const json = Buffer.from(`{"spec":${deep},${own}:${metadata}}`);

        expect(scanObject(json, 0, json.length)).to.include({ name: "a", resourceVersion: "7" });
      }
    });
  }

  it("reads 1.5 MB with an escaped key, or with nothing else, within a slice of the event loop", () => {
    const numbers = `"a\\u0026b":1,"spec":[${Array(700_000).fill(1).join(",")}]`;
    const keys = Array.from({ length: 90_000 }, (_, i) => `"\\u0026${i}":1`).join(",");
    for (const json of [
      `{"metadata":{"name":"a"},${numbers}}`,
      `{"metadata":{"name":"a"},${keys}}`,
      `{"metadata":{"name":"a",${keys}}}`,
    ]) {
      const bytes = Buffer.from(json);
      const times = Array.from({ length: 5 }, () => {
        const start = process.threadCpuUsage().user;
        expect(scanObject(bytes, 0, bytes.length)?.name).to.equal("a");
        return (process.threadCpuUsage().user - start) / 1_000;
      });

      expect(Math.min(...times)).to.be.lessThan(50); // with a tree it is 700 to 1,300
    }
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
    { what: "a name that is a number", json: '{"metadata":{"name":1}}' },
    { what: "a kind that is a number", json: '{"kind":1,"metadata":{"name":"a"}}' },
    { what: "labels that are an array", json: '{"metadata":{"name":"a","labels":[]}}' },
    { what: "no name", json: '{"metadata":{}}' },
    { what: "an empty name", json: '{"metadata":{"name":""}}' },
    { what: "metadata of null", json: '{"metadata":null}' },
    { what: "an array", json: '[{"metadata":{"name":"a"}}]' },
    { what: "a missing comma", json: '{"metadata":{"name":"a"}"kind":"A"}' },
    { what: "a missing colon", json: '{"metadata"{"name":"a"}}' },
    { what: "a name whose key is half an escape", json: '{"metadata":{"n\\u006":"a"}}' },
    { what: "nothing", json: "" },
  ]) {
    it(`refuses ${what}`, () => {
      expect(scanObject(Buffer.from(json), 0, json.length)).to.equal(undefined);
    });
  }
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
