import { expect } from "chai";
import { parseExact, writeExact } from "../json.ts";
import { reshaped } from "./reshape.ts";
import { parseShape } from "./shape.ts";

const object = {
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a-long-name", labels: { a: "1", "b.c/d": "2" }, uid: "0123456789" },
  spec: { list: [{ x: 1 }], deep: { y: "yyyyyyyy", z: { q: null } }, text: "some text" },
};
const { metadata, spec, ...rest } = object;

const shaped = (query: string, from: Readonly<Record<string, unknown>> = object) =>
  reshaped(from, parseShape(new URLSearchParams(query)));

describe("reshaped", () => {
  for (const { title, query, expected } of [
    { title: "leaves everything", query: "", expected: object },
    {
      title: "keeps what is included alone",
      query: "include=metadata.name&include=spec.deep.z&include=kind",
      expected: {
        kind: "Thing",
        metadata: { name: "a-long-name" },
        spec: { deep: { z: { q: null } } },
      },
    },
    { title: "has nothing where nothing is found", query: "include=nope.at.all", expected: {} },
    { title: "does not look into lists", query: "include=spec.list.0", expected: {} },
    {
      title: "keeps null",
      query: "include=spec.deep.z.q",
      expected: { spec: { deep: { z: { q: null } } } },
    },
    {
      title: "leaves out what is excluded",
      query: "exclude=spec.deep&exclude=metadata",
      expected: { ...rest, spec: { list: spec.list, text: spec.text } },
    },
    {
      title: "excludes nothing that is not there",
      query: "exclude=a.b&exclude=spec.list.0",
      expected: object,
    },
    {
      title: "excludes a key with dots in brackets",
      query: "exclude=metadata.labels[b.c/d]",
      expected: { ...object, metadata: { ...metadata, labels: { a: "1" } } },
    },
    {
      title: "empties the values of a map",
      query: "excludeValues=metadata.labels",
      expected: { ...object, metadata: { ...metadata, labels: { a: "", "b.c/d": "" } } },
    },
    {
      title: "empties no list and no text",
      query: "excludeValues=spec.list&excludeValues=spec.text",
      expected: object,
    },
    {
      title: "includes before it excludes before it empties",
      query: "excludeValues=metadata.labels&exclude=metadata.labels.a&include=metadata.labels",
      expected: { metadata: { labels: { "b.c/d": "" } } },
    },
    {
      title: "takes paths that lead into each other, in any order",
      query:
        "include=spec.deep.z&include=spec&exclude=spec.deep.y&exclude=spec.deep&excludeValues=spec.list&excludeValues=spec",
      expected: { spec: { list: "", text: "" } },
    },
    {
      title: "cuts texts, but not what tells objects apart",
      query: "truncate=4",
      expected: {
        ...object,
        spec: { list: [{ x: 1 }], deep: { y: "yyyy", z: { q: null } }, text: "some" },
      },
    },
    {
      title: "cuts after it has included",
      query: "truncate=0&include=spec.text&include=metadata.uid",
      expected: { spec: { text: "" }, metadata: { uid: "0123456789" } },
    },
  ]) {
    it(title, () => {
      expect(shaped(query)).to.deep.equal(expected);
    });
  }

  it("copies a map once, however many paths lead into it", () => {
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
    let copied = 0;
    const counting = new Proxy(Object.fromEntries(keys.map((key) => [key, "x"])), {
      ownKeys: (map) => {
        copied++;
        return Reflect.ownKeys(map);
      },
    });

    for (const parameter of ["exclude", "excludeValues"]) {
      copied = 0;
      shaped(keys.map((key) => `${parameter}=data.${key}`).join("&"), { data: counting });
      expect(copied, parameter).to.equal(1);
    }
  });

  it("cuts no character in two", () => {
    expect(shaped("truncate=2", { a: "x😀y" })).to.deep.equal({ a: "x" });
  });

  it("takes keys that JavaScript has a meaning for", () => {
    const odd = JSON.parse('{"__proto__":{"a":1},"b":{"constructor":{"c":2}}}');

    expect(JSON.stringify(shaped("include=__proto__.a&include=b.constructor.c", odd))).to.equal(
      '{"__proto__":{"a":1},"b":{"constructor":{"c":2}}}',
    );
    expect(shaped("exclude=__proto__&include=toString", odd)).to.deep.equal({});
    expect(({} as { readonly a?: number }).a).to.equal(undefined);
  });

  it("keeps numbers that JavaScript cannot hold", () => {
    const exact = parseExact('{"a":12345678901234567890,"b":{"c":0.1234567890123456789,"d":1.0}}');
    const text = writeExact(shaped("truncate=3", exact as Readonly<Record<string, unknown>>));

    expect(text).to.equal('{"a":12345678901234567890,"b":{"c":0.1234567890123456789,"d":1.0}}');
  });

  it("takes texts however deep they are", () => {
    const depth = 5000;
    const deep = JSON.parse(`${'{"a":'.repeat(depth)}"text"${"}".repeat(depth)}`);

    expect(() => shaped("truncate=1", deep)).not.to.throw();
  });
});
