import { expect } from "chai";
import { type Clock, systemClock } from "kopf-ts";
import { Attempts, networkOf } from "./attempts.ts";

/** A clock that is moved by hand. */
function aClock() {
  let time = 0;
  const clock: Clock = { ...systemClock, monotonic: () => time };
  const pass = (milliseconds: number): void => {
    time += milliseconds;
  };
  return { clock, pass };
}

const times = <T>(count: number, act: () => T): T[] => Array.from({ length: count }, act);

describe("Attempts", () => {
  it("lets five failures pass, then makes each wait twice as long, a minute at most", () => {
    const { clock, pass } = aClock();
    const attempts = new Attempts(clock);

    const waits = times(13, () => {
      const wait = attempts.begin("ada", "10.0.0.1");
      pass(wait);
      if (wait > 0) attempts.begin("ada", "10.0.0.1");
      return wait / 1_000;
    });

    expect(waits).to.deep.equal([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it("counts what could not be judged as none, and forgives nothing else for it", () => {
    const { clock, pass } = aClock();
    const attempts = new Attempts(clock);
    times(5, () => attempts.begin("ada", "10.0.0.1"));
    pass(1_000);

    for (let round = 0; round < 3; round += 1) {
      expect(attempts.begin("ada", "10.0.0.1")).to.equal(0);
      attempts.undecided("ada", "10.0.0.1");
    }
    attempts.begin("ada", "10.0.0.1");

    expect(attempts.begin("ada", "10.0.0.1")).to.equal(2_000);
  });

  it("counts tries at the same time", () => {
    const attempts = new Attempts(aClock().clock);

    const waits = times(20, () => attempts.begin("ada", "10.0.0.1"));

    expect(waits.filter((wait) => wait === 0)).to.have.length(5);
  });

  it("lets the same user in from elsewhere, and another from there", () => {
    const attempts = new Attempts(aClock().clock);
    times(20, () => attempts.begin("ada", "10.0.0.1"));

    expect(attempts.begin("ada", "10.0.0.2")).to.equal(0);
    expect(attempts.begin("bob", "10.0.0.1")).to.equal(0);
  });

  it("takes a /64 of IPv6 for one address", () => {
    const attempts = new Attempts(aClock().clock);
    times(20, () => attempts.begin("ada", "2001:db8:1:2:3:4:5:6"));

    expect(attempts.begin("ada", "2001:db8:1:2:ffff::1")).to.be.greaterThan(0);
    expect(attempts.begin("ada", "2001:db8:1:3:3:4:5:6")).to.equal(0);
  });

  it("begins anew after a success, and after a quarter of an hour", () => {
    const { clock, pass } = aClock();
    const attempts = new Attempts(clock);
    times(20, () => attempts.begin("ada", "10.0.0.1"));

    attempts.succeeded("ada", "10.0.0.1");
    expect(times(5, () => attempts.begin("ada", "10.0.0.1"))).to.deep.equal([0, 0, 0, 0, 0]);
    pass(900_001);
    expect(times(5, () => attempts.begin("ada", "10.0.0.1"))).to.deep.equal([0, 0, 0, 0, 0]);
  });
});

describe("networkOf", () => {
  for (const { address, expected } of [
    { address: "10.0.0.1", expected: "10.0.0.1" },
    { address: "::ffff:10.0.0.1", expected: "::ffff:10.0.0.1" },
    { address: "2001:db8:1:2:3:4:5:6", expected: "2001:db8:1:2" },
    { address: "2001:db8:1:2::6", expected: "2001:db8:1:2" },
    { address: "2001:db8:1:2:3::", expected: "2001:db8:1:2" },
    { address: "2001:db8::a:b:c:d", expected: "2001:db8:0:0" },
    { address: "2001:db8::d", expected: "2001:db8:0:0" },
    { address: "2001:0:0:1::d", expected: "2001:0:0:1" },
    { address: "::1", expected: "0:0:0:0" },
    { address: "fe80::1:2:3:4%eth0", expected: "fe80:0:0:0" },
    { address: "", expected: "0:0:0:0" },
  ]) {
    it(`takes ${address} for ${expected}`, () => {
      expect(networkOf(address)).to.equal(expected);
    });
  }
});
