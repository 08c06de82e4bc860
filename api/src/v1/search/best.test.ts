import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { Best } from "./best.ts";

describe("Best", () => {
  for (const most of [1, 3, 50]) {
    it(`keeps the best ${most} of many, in order`, () => {
      const random = seededRandom(most);
      const numbers = Array.from({ length: 500 }, () => random.below(1000));
      const best = new Best<number>(most, (a, b) => a - b);

      for (const number of numbers) best.add(number);

      expect(best.take()).to.deep.equal(numbers.toSorted((a, b) => a - b).slice(0, most));
    });
  }

  it("has fewer where there are fewer", () => {
    const best = new Best<number>(3, (a, b) => a - b);

    best.add(2);
    best.add(1);

    expect(best.take()).to.deep.equal([1, 2]);
  });
});
