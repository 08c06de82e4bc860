import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { compareTuples, merged } from "./merge.ts";

const numbers = (a: number, b: number): number => a - b;

describe("merged", () => {
  for (let seed = 1; seed <= 20; seed++) {
    it(`puts lists in one order (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const lists = Array.from({ length: random.below(5) }, () =>
        Array.from({ length: random.below(9) }, () => random.below(20)).sort(numbers),
      );

      const items = [...merged(lists, numbers)].map(({ item }) => item);

      expect(items).to.deep.equal(lists.flat().sort(numbers));
    });
  }

  it("takes equal ones from the earlier list first", () => {
    const found = [...merged([["b"], ["a", "b"]], (a, b) => (a < b ? -1 : Number(a > b)))];

    expect(found).to.deep.equal([
      { list: 1, item: "a" },
      { list: 0, item: "b" },
      { list: 1, item: "b" },
    ]);
  });
});

describe("compareTuples", () => {
  for (const { a, b, order } of [
    { a: [0, 1, "a"], b: [0, 2, "a"], order: -1 },
    { a: [1, 0, "a"], b: [0, 2, "a"], order: 1 },
    { a: [0, 1, "b"], b: [0, 1, "a"], order: 1 },
    { a: [0, 1, "a"], b: [0, 1, "a"], order: 0 },
  ]) {
    it(`of ${a} and ${b} is ${order}`, () => expect(compareTuples(a, b)).to.equal(order));
  }
});
