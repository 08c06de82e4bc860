import { hostname } from "node:os";
import { expect } from "chai";
import { checkedTiming, defaultIdentity } from "./options.ts";

describe("checkedTiming", () => {
  it("has client-go's defaults", () => {
    expect(checkedTiming({})).to.deep.equal({
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2000,
    });
  });

  it("takes Rancher's times", () => {
    const rancher = { leaseDuration: 45_000, renewDeadline: 30_000, retryPeriod: 2000 };

    expect(checkedTiming(rancher)).to.deep.equal(rancher);
  });

  for (const { timing, expected } of [
    {
      timing: { leaseDuration: 10_000 },
      expected: "leaseDuration (10000 ms) must be longer than renewDeadline (10000 ms)",
    },
    {
      timing: { renewDeadline: 2400 },
      expected: "renewDeadline (2400 ms) must be longer than retryPeriod x 1.2 (2400 ms)",
    },
    { timing: { retryPeriod: 0 }, expected: "retryPeriod must be above 0, not 0" },
    { timing: { retryPeriod: Number.NaN }, expected: "retryPeriod must be above 0, not NaN" },
    { timing: { leaseDuration: Number.NaN }, expected: "leaseDuration (NaN ms) must be longer" },
  ]) {
    it(`refuses ${JSON.stringify(timing)}`, () => {
      expect(() => checkedTiming(timing)).to.throw(TypeError, expected);
    });
  }
});

describe("defaultIdentity", () => {
  it("begins with the host's name and differs each time", () => {
    expect(defaultIdentity()).to.match(new RegExp(`^${hostname()}_[0-9a-f-]{36}$`));
    expect(defaultIdentity()).to.not.equal(defaultIdentity());
  });
});
