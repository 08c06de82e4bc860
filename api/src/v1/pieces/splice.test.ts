import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { MalformedObject, seamsOf } from "./seams.ts";
import { type SpliceOptions, spliced, spliceOf } from "./splice.ts";

/** Puts an object together as an answer would. */
function joined(json: string, options: Partial<SpliceOptions> = {}): string {
  const bytes = Buffer.from(json);
  const splice = spliceOf(bytes, { conditions: (index) => `"flag":${index}`, ...options });
  const members = Buffer.from(splice.isFirst ? '"x":1' : ',"x":1');
  return `{${Buffer.concat(spliced(bytes, splice, [members]))}`;
}

describe("spliceOf", () => {
  const cases: readonly (readonly [title: string, json: string, found: string])[] = [
    [
      "puts members behind those of metadata",
      '{"metadata":{"name":"a"},"spec":{}}',
      '{"metadata":{"name":"a","x":1},"spec":{}}',
    ],
    ["puts members into empty metadata", '{"metadata":{ }}', '{"metadata":{ "x":1}}'],
    [
      "renames keys that are ours, at the top alone",
      '{"type":"Opaque","metadata":{"id":1},"id":{"type":2},"links":[],"actions":0}',
      '{"_type":"Opaque","metadata":{"id":1,"x":1},"_id":{"type":2},"_links":[],"_actions":0}',
    ],
    [
      "marks conditions",
      '{"metadata":{},"status":{"conditions":[{"type":"A"},{},7]}}',
      '{"metadata":{"x":1},"status":{"conditions":[{"type":"A","flag":0},{"flag":1},7]}}',
    ],
    [
      "finds a status that comes first",
      '{"status":{"conditions":[{"a":1}],"b":{"conditions":[{}]}},"metadata":{}}',
      '{"status":{"conditions":[{"a":1,"flag":0}],"b":{"conditions":[{}]}},"metadata":{"x":1}}',
    ],
    [
      "leaves numbers, escapes and spaces as they are",
      '{"metadata":{"n":12345678901234567890},"a" : 1.0,"b":"\\u0041\\"}{\\\\"\n}',
      '{"metadata":{"n":12345678901234567890,"x":1},"a" : 1.0,"b":"\\u0041\\"}{\\\\"\n}',
    ],
    [
      "leaves what only looks like it",
      '{"metadata":{"metadata":{}},"status":"x","spec":{"status":{"conditions":[{}]}}}',
      '{"metadata":{"metadata":{},"x":1},"status":"x","spec":{"status":{"conditions":[{}]}}}',
    ],
    [
      "takes letters of any alphabet",
      '{"metadata":{"é":"日本"},"ty":"pe"}',
      '{"metadata":{"é":"日本","x":1},"ty":"pe"}',
    ],
  ];

  for (const [title, json, found] of cases) {
    it(title, () => {
      expect(joined(json)).to.equal(found);
    });
  }

  it("is what it would be if somebody parsed it, for random objects", () => {
    const random = seededRandom(7);
    for (let index = 0; index < 500; index++) {
      const object = {
        metadata: tree(random, 3),
        status: { conditions: [tree(random, 2), tree(random, 1)] },
        type: tree(random, 1),
        spec: tree(random, 4),
      };
      const { type, ...rest } = object;
      const conditions = object.status.conditions.map((each, at) =>
        isMap(each)
          ? { ...each, flag: object.status.conditions.slice(0, at).filter(isMap).length }
          : each,
      );
      const metadata = isMap(object.metadata) ? object.metadata : {};
      const json = JSON.stringify({ ...object, metadata }, undefined, index % 3);

      expect(JSON.parse(joined(json))).to.deep.equal({
        ...rest,
        _type: type,
        metadata: { ...metadata, x: 1 },
        status: { conditions },
      });
    }
  });

  const fields: readonly (readonly [json: string, without: string])[] = [
    ['{"metadata":{"name":"a","managedFields":[{"a":1}]}}', '{"metadata":{"name":"a","x":1}}'],
    ['{"metadata":{"managedFields":[{}] , "name":"a"}}', '{"metadata":{ "name":"a","x":1}}'],
    ['{"metadata":{"a":1, "managedFields":[],"b":2}}', '{"metadata":{"a":1,"b":2,"x":1}}'],
    ['{"metadata":{ "managedFields":[] }}', '{"metadata":{  "x":1}}'],
    ['{"managedFields":[],"metadata":{}}', '{"managedFields":[],"metadata":{"x":1}}'],
  ];
  for (const [json, without] of fields) {
    it(`leaves managedFields out of ${json}`, () => {
      expect(joined(json, { withoutManagedFields: true })).to.equal(without);
    });
  }

  for (const [json, without] of [
    ['{"metadata":{"name":"a","fields":["b",{"since":1}]}}', '{"metadata":{"name":"a","x":1}}'],
    ['{"metadata":{"fields":[] , "name":"a"}}', '{"metadata":{ "name":"a","x":1}}'],
    ['{"fields":[],"metadata":{"a":1}}', '{"fields":[],"metadata":{"a":1,"x":1}}'],
  ] as const) {
    it(`leaves fields out of ${json}`, () => {
      expect(joined(json, { withoutFields: true })).to.equal(without);
    });
  }

  it("leaves fields and managedFields out", () => {
    const json = '{"metadata":{"name":"a","managedFields":[{}],"fields":["b"]}}';
    const options = { withoutFields: true, withoutManagedFields: true };
    expect(joined(json, options)).to.equal('{"metadata":{"name":"a","x":1}}');
  });

  it("refuses what ends anywhere", () => {
    const json = '{"metadata":{"a":[1,"b"]},"status":{"conditions":[{"c":true}]},"d":null}';
    for (let length = 0; length < json.length; length++) {
      expect(() => seamsOf(Buffer.from(json.slice(0, length))), json.slice(0, length)).to.throw(
        MalformedObject,
      );
    }
  });

  it("refuses what is no object", () => {
    for (const json of ["", "[]", '"x"', "{]", '{"a"}', '{"a":1 "b":2}', "{a:1}", '{"a":}']) {
      expect(() => seamsOf(Buffer.from(json)), json).to.throw(MalformedObject);
    }
    expect(() => spliceOf(Buffer.from("{}"), { conditions: () => "" })).to.throw(
      "without metadata",
    );
  });
});

type Random = ReturnType<typeof seededRandom>;

const texts = ["", "a", '"', "\\", '\\"', "}{", "日", "metadata", "conditions", "\n"];

function tree(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind === 0) return texts[random.below(texts.length)];
  if (kind === 1) return random.below(1000) / 8;
  if (kind === 2) return random.chance(0.5);
  if (kind === 3) return null;
  const parts = Array.from({ length: random.below(4) }, () => tree(random, depth - 1));
  return kind === 4
    ? parts
    : Object.fromEntries(
        parts.map((part, index) => [`${texts[random.below(texts.length)]}${index}`, part]),
      );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
