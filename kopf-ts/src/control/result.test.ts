import { expect } from "chai";
import { done, requeueAfter } from "./index.ts";

describe("requeueAfter", () => {
  for (const { name, delay, expected } of [
    { name: "keeps a delay", delay: 1500, expected: 1500 },
    { name: "keeps a delay beyond 2^31", delay: 2 ** 40, expected: 2 ** 40 },
    { name: "is at once for what lies in the past", delay: -5, expected: 0 },
  ]) {
    it(name, () => expect(requeueAfter(delay)).to.deep.equal({ requeueAfter: expected }));
  }

  it("takes a priority along", () => {
    expect(requeueAfter(1, { priority: -50 })).to.deep.equal({ requeueAfter: 1, priority: -50 });
  });

  for (const delay of [Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses ${delay}`, () => {
      expect(() => requeueAfter(delay)).to.throw(TypeError, `milliseconds, not ${delay}`);
    });
  }
});

describe("done", () => {
  it("asks for nothing and cannot be changed", () => {
    expect(done).to.deep.equal({});
    expect(Object.isFrozen(done)).to.equal(true);
  });
});
