import { expect } from "chai";
import { countWithin, due, objectOf } from "./schedule.ts";

describe("due", () => {
  it("spreads what is done over the second", () => {
    expect([0, 1, 2, 20].map((index) => due(index, 20))).to.deep.equal([0, 50, 100, 1000]);
  });
});

describe("countWithin", () => {
  for (const { time, perSecond, expected } of [
    { time: 0, perSecond: 20, expected: 0 },
    { time: 1000, perSecond: 20, expected: 20 },
    { time: 1001, perSecond: 20, expected: 21 },
    { time: 400, perSecond: 2, expected: 1 },
  ]) {
    it(`is ${expected} of ${perSecond} per second in ${time} ms`, () => {
      const count = countWithin(time, perSecond);

      expect(count).to.equal(expected);
      expect(count === 0 || due(count - 1, perSecond) < time).to.equal(true);
    });
  }
});

describe("objectOf", () => {
  for (const n of [1, 10, 1000, 7919, 10_000]) {
    it(`reaches each of ${n} objects before one a second time`, () => {
      const reached = new Set(Array.from({ length: n }, (_, index) => objectOf(index, n)));

      expect(reached.size).to.equal(n);
      expect(objectOf(n, n)).to.equal(objectOf(0, n));
    });
  }
});
