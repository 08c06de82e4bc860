import { expect } from "chai";
import { mergePatch } from "./patch-status.ts";

describe("mergePatch", () => {
  for (const { name, from, to, expected } of [
    { name: "is undefined for equals", from: { a: [1] }, to: { a: [1] }, expected: undefined },
    {
      name: "has the changed field alone",
      from: { a: 1, b: 2 },
      to: { a: 1, b: 3 },
      expected: { b: 3 },
    },
    { name: "removes what is gone", from: { a: 1, b: 2 }, to: { a: 1 }, expected: { b: null } },
    {
      name: "goes into objects",
      from: { a: { b: 1, c: 2 } },
      to: { a: { b: 1, c: 3 } },
      expected: { a: { c: 3 } },
    },
    {
      name: "sends lists whole",
      from: { a: [{ x: 1 }, { y: 1 }] },
      to: { a: [{ x: 1 }, { y: 2 }] },
      expected: { a: [{ x: 1 }, { y: 2 }] },
    },
    {
      name: "finds a list that lost an item",
      from: { a: [1, 2] },
      to: { a: [1] },
      expected: { a: [1] },
    },
    {
      name: "ignores the order of keys",
      from: [{ a: 1, b: 2 }],
      to: [{ b: 2, a: 1 }],
      expected: undefined,
    },
    {
      name: "takes undefined for absent",
      from: { a: 1 },
      to: { a: 1, b: undefined },
      expected: undefined,
    },
    {
      name: "removes what became undefined",
      from: { a: 1 },
      to: { a: undefined },
      expected: { a: null },
    },
    { name: "takes null for absent", from: {}, to: { a: null }, expected: undefined },
    {
      name: "keeps false and zero",
      from: {},
      to: { a: false, b: 0 },
      expected: { a: false, b: 0 },
    },
    {
      name: "replaces a value by an object",
      from: { a: 1 },
      to: { a: { b: 1 } },
      expected: { a: { b: 1 } },
    },
  ]) {
    it(name, () => expect(mergePatch(from, to)).to.deep.equal(expected));
  }
});
