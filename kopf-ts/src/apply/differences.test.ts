import { expect } from "chai";
import { contentHash, differences, fingerprint } from "./differences.ts";

describe("differences", () => {
  for (const { name, desired, live, expected } of [
    { name: "has none for equal objects", desired: { a: 1 }, live: { a: 1 }, expected: [] },
    {
      name: "ignores fields that only others set",
      desired: { spec: { a: 1 } },
      live: { spec: { a: 1, b: 2 }, status: {} },
      expected: [],
    },
    {
      name: "ignores fields that are undefined, as JSON does",
      desired: { a: undefined },
      live: { a: 1 },
      expected: [],
    },
    {
      name: "finds a changed value",
      desired: { spec: { replicas: 2 } },
      live: { spec: { replicas: 3 } },
      expected: ["/spec/replicas=3"],
    },
    {
      name: "finds a missing field",
      desired: { spec: { replicas: 2 } },
      live: {},
      expected: ["/spec=undefined"],
    },
    {
      name: "finds a missing field that is wanted empty",
      desired: { a: false, b: "", c: 0, d: {}, e: [] },
      live: {},
      expected: ["/a=undefined", "/b=undefined", "/c=undefined", "/d=undefined", "/e=undefined"],
    },
    {
      name: "tells null from absent",
      desired: { a: null },
      live: {},
      expected: ["/a=undefined"],
    },
    {
      name: "tells a number from its text",
      desired: { a: "1" },
      live: { a: 1 },
      expected: ["/a=1"],
    },
    {
      name: "tells quantities apart, for they may be any text",
      desired: { data: { a: "1000m" } },
      live: { data: { a: "1" } },
      expected: ['/data/a="1"'],
    },
    {
      name: "looks into lists item by item",
      desired: { ports: [{ port: 80 }] },
      live: { ports: [{ port: 80, protocol: "TCP" }] },
      expected: [],
    },
    {
      name: "finds a list that grew",
      desired: { rules: ["a"] },
      live: { rules: ["a", "b"] },
      expected: ['/rules=["a","b"]'],
    },
    {
      name: "finds a list in another order",
      desired: { rules: ["a", "b"] },
      live: { rules: ["b", "a"] },
      expected: ['/rules/0="b"', '/rules/1="a"'],
    },
    {
      name: "finds a list that became something else",
      desired: { a: [1] },
      live: { a: { 0: 1 } },
      expected: ['/a={"0":1}'],
    },
    {
      name: "accepts further owners in any order",
      desired: { metadata: { ownerReferences: [{ uid: "b", controller: true }] } },
      live: { metadata: { ownerReferences: [{ uid: "a" }, { uid: "b", controller: true }] } },
      expected: [],
    },
    {
      name: "finds an owner reference that is gone",
      desired: { metadata: { ownerReferences: [{ uid: "b" }] } },
      live: { metadata: { ownerReferences: [{ uid: "a" }] } },
      expected: ["/metadata/ownerReferences/0=undefined"],
    },
    {
      name: "accepts further finalizers in any order",
      desired: { metadata: { finalizers: ["a", "b"] } },
      live: { metadata: { finalizers: ["c", "b", "a"] } },
      expected: [],
    },
    {
      name: "finds a finalizer that is gone",
      desired: { metadata: { finalizers: ["a/b"] } },
      live: { metadata: { finalizers: ["c"] } },
      expected: ["/metadata/finalizers/a/b=undefined"],
    },
  ]) {
    it(name, () => {
      const found = differences(desired, live).map(({ path, live: is }) => `${path}=${is}`);

      expect(found).to.deep.equal(expected);
    });
  }
});

describe("fingerprint", () => {
  it("changes with the path and with the live value, and shows neither", () => {
    const texts = [
      fingerprint(differences({ a: "secret" }, { a: "other" })),
      fingerprint(differences({ a: "secret" }, { a: "changed" })),
      fingerprint(differences({ b: "secret" }, { b: "other" })),
      fingerprint(differences({ a: "secret" }, {})),
    ];

    expect(new Set(texts).size).to.equal(4);
    expect(texts.join()).to.not.match(/secret|other/);
  });
});

describe("contentHash", () => {
  it("does not depend on the order of keys, but on that of lists", () => {
    expect(contentHash({ a: 1, b: { c: [1, 2] } })).to.equal(
      contentHash({ b: { c: [1, 2] }, a: 1 }),
    );
    expect(contentHash([1, 2])).to.not.equal(contentHash([2, 1]));
  });

  it("takes undefined for absent, and null not", () => {
    expect(contentHash({ a: 1, b: undefined })).to.equal(contentHash({ a: 1 }));
    expect(contentHash({ a: 1, b: null })).to.not.equal(contentHash({ a: 1 }));
  });

  it("tells nesting from text that looks like it", () => {
    expect(contentHash({ a: '{"b":1}' })).to.not.equal(contentHash({ a: { b: 1 } }));
  });
});
