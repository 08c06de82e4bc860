import { expect } from "chai";
import { done, requeueAfter, requeueAt } from "./index.ts";
import { asksForMore } from "./result.ts";

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

describe("requeueAt", () => {
  it("keeps a time, also one that has passed, and takes a priority along", () => {
    expect(requeueAt(1_800_000_000_000)).to.deep.equal({ requeueAt: 1_800_000_000_000 });
    expect(requeueAt(-1, { priority: -50 })).to.deep.equal({ requeueAt: -1, priority: -50 });
  });

  for (const time of [Date.parse("soon"), Number.POSITIVE_INFINITY]) {
    it(`refuses ${time}`, () => {
      expect(() => requeueAt(time)).to.throw(TypeError, `a time, not ${time}`);
    });
  }
});

describe("asksForMore", () => {
  for (const { name, result, expected } of [
    { name: "done does not", result: done, expected: false },
    { name: "no answer does not", result: undefined, expected: false },
    { name: "a priority alone does not", result: { priority: 1 }, expected: false },
    { name: "a delay of 0 does", result: requeueAfter(0), expected: true },
    { name: "the epoch does", result: requeueAt(0), expected: true },
  ]) {
    it(name, () => expect(asksForMore(result)).to.equal(expected));
  }
});

describe("done", () => {
  it("asks for nothing and cannot be changed", () => {
    expect(done).to.deep.equal({});
    expect(Object.isFrozen(done)).to.equal(true);
  });
});
