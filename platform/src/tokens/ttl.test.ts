import { expect } from "chai";
import { PermanentError } from "kopf-ts";
import { seededRandom } from "kopf-ts/testing";
import { clampTtl, shrinkTtl, toExtTtl } from "./ttl.ts";

const limits = { standard: 1_000, maximum: 5_000 };
const uncapped = { standard: 1_000, maximum: 0 };
const free = { standard: 0, maximum: 0 };

describe("case 80: clampTtl", () => {
  it("gives auth-token-max-ttl-minutes x 60000 ms for 0, where nothing was set", () => {
    const defaults = { standard: 129_600 * 60_000, maximum: 129_600 * 60_000 };

    expect(clampTtl(0, defaults)).to.equal(7_776_000_000);
    expect(clampTtl(-1, defaults)).to.equal(7_776_000_000);
    expect(clampTtl(7_776_000_001, defaults)).to.equal(7_776_000_000);
  });

  for (const { name, requested, given, expected } of [
    { name: "0 asks for the standard", requested: 0, given: limits, expected: 1_000 },
    { name: "a negative one is cut to the maximum", requested: -1, given: limits, expected: 5_000 },
    {
      name: "a larger one is cut to the maximum",
      requested: 5_001,
      given: limits,
      expected: 5_000,
    },
    { name: "the maximum is given", requested: 5_000, given: limits, expected: 5_000 },
    { name: "less is given", requested: 1, given: limits, expected: 1 },
    {
      name: "a standard above the maximum is cut",
      requested: 0,
      given: { standard: 9_000, maximum: 5_000 },
      expected: 5_000,
    },
    {
      name: "an endless standard is cut",
      requested: 0,
      given: { standard: 0, maximum: 5_000 },
      expected: 5_000,
    },
    { name: "no maximum, 0 asks for the standard", requested: 0, given: uncapped, expected: 1_000 },
    { name: "no maximum, a negative one never ends", requested: -7, given: uncapped, expected: 0 },
    {
      name: "no maximum, any is given",
      requested: 9_999_999,
      given: uncapped,
      expected: 9_999_999,
    },
    {
      name: "a negative maximum is none",
      requested: -1,
      given: { ...limits, maximum: -1 },
      expected: 0,
    },
    {
      name: "0.29 minutes are whole milliseconds",
      requested: 0,
      given: { standard: 0.29 * 60_000, maximum: 0 },
      expected: 17_400,
    },
    {
      name: "a limit below a millisecond is one",
      requested: 7,
      given: { standard: 0, maximum: 0.1 },
      expected: 1,
    },
    { name: "no limits at all, 0 never ends", requested: 0, given: free, expected: 0 },
    {
      name: "what Go could not count never ends",
      requested: Number("9223372036854775807"),
      given: free,
      expected: 0,
    },
    {
      name: "what Go could not count is cut",
      requested: Number("9223372036854775807"),
      given: limits,
      expected: 5_000,
    },
  ]) {
    it(name, () => expect(clampTtl(requested, given)).to.equal(expected));
  }

  for (const requested of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses ${requested}`, () => {
      expect(() => clampTtl(requested, limits)).to.throw(PermanentError, "whole number");
    });
  }

  it("never gives more than the maximum, and giving again changes nothing", () => {
    const random = seededRandom(80);
    for (let round = 0; round < 2_000; round += 1) {
      const given = { standard: random.below(50) - 10, maximum: random.below(40) - 10 };
      const requested = random.below(80) - 20;

      const ttl = clampTtl(requested, given);

      const told = `seed ${random.seed}, round ${round}`;
      if (given.maximum > 0) expect(ttl, told).to.be.within(1, given.maximum);
      else expect(ttl, told).to.be.at.least(0);
      if (ttl > 0) expect(clampTtl(ttl, given), told).to.equal(ttl);
    }
  });
});

describe("shrinkTtl", () => {
  for (const { name, current, requested, expected } of [
    { name: "gives less", current: 3_000, requested: 2_000, expected: 2_000 },
    { name: "keeps what is", current: 3_000, requested: 3_000, expected: 3_000 },
    { name: "does not give more", current: 3_000, requested: 4_000, expected: 3_000 },
    { name: "does not give for ever", current: 3_000, requested: -1, expected: 3_000 },
    { name: "takes 0 for the standard", current: 3_000, requested: 0, expected: 1_000 },
    { name: "cuts what never ended", current: 0, requested: -1, expected: 5_000 },
  ]) {
    it(name, () => expect(shrinkTtl(current, requested, limits)).to.equal(expected));
  }

  it("leaves a token that never ends as it is, where that is allowed", () => {
    expect(shrinkTtl(0, -1, uncapped)).to.equal(0);
  });
});

describe("toExtTtl", () => {
  it("writes -1 for a token that never ends", () => {
    expect([0, -1, 1, 90_000].map(toExtTtl)).to.deep.equal([-1, -1, 1, 90_000]);
  });
});
