import { expect } from "chai";
import { difference } from "./difference.ts";

describe("difference", () => {
  for (const { name, expected, actual, words } of [
    { name: "is none between equals", expected: { a: [1] }, actual: { a: [1] }, words: undefined },
    { name: "ignores further keys", expected: { a: 1 }, actual: { a: 1, b: 2 }, words: undefined },
    {
      name: "names the path",
      expected: { a: { b: 1 } },
      actual: { a: { b: 2 } },
      words: "a.b is 2, not 1",
    },
    { name: "says absent", expected: { a: true }, actual: {}, words: "a is absent, not true" },
    {
      name: "compares items",
      expected: { a: ["x"] },
      actual: { a: ["y"] },
      words: 'a.0 is "y", not "x"',
    },
    {
      name: "compares lengths",
      expected: { a: [1] },
      actual: { a: [1, 2] },
      words: "a has 2 items, not 1",
    },
    {
      name: "tells a list from an object",
      expected: { a: [1] },
      actual: { a: 1 },
      words: "a is 1, not [1]",
    },
    {
      name: "tells null from an object",
      expected: { a: {} },
      actual: { a: null },
      words: "a is null, not {}",
    },
    {
      name: "says what nothing lacks",
      expected: { a: 1 },
      actual: undefined,
      words: ' is absent, not {"a":1}',
    },
  ]) {
    it(name, () => expect(difference(expected, actual)).to.equal(words));
  }
});
