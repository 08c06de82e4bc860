import { expect } from "chai";
import { type Clock, systemClock, TemporaryError } from "../base/index.ts";
import { HeldLeadership, instantOf, LeaseLost } from "./leadership.ts";

/** Both clocks at will. */
class Clocks {
  monotonicNow = 1000;
  wallNow = Date.UTC(2026, 0, 1);
  readonly clock: Clock = {
    ...systemClock,
    now: () => this.wallNow,
    monotonic: () => this.monotonicNow,
  };

  pass(duration: number): void {
    this.monotonicNow += duration;
    this.wallNow += duration;
  }
}

function aLeadership(): { clocks: Clocks; leadership: HeldLeadership; doubts: () => number } {
  const clocks = new Clocks();
  let doubts = 0;
  const leadership = new HeldLeadership({
    clock: clocks.clock,
    token: 3,
    renewDeadline: 10_000,
    onDoubt: () => {
      doubts++;
    },
  });
  return { clocks, leadership, doubts: () => doubts };
}

describe("Leadership", () => {
  it("holds until the renew deadline", () => {
    const { clocks, leadership } = aLeadership();

    clocks.pass(9999);

    expect(() => leadership.check()).to.not.throw();
    expect(leadership.signal.aborted).to.equal(false);
    expect(leadership.token).to.equal(3);
  });

  it("is lost at the deadline even if no timer has fired: a stopped process that goes on", () => {
    const { clocks, leadership } = aLeadership();

    clocks.pass(10_000);

    expect(() => leadership.check()).to.throw(LeaseLost, "not renewed for 10000 ms");
    expect(leadership.signal.reason).to.be.instanceOf(LeaseLost);
  });

  it("counts from when a renewal was sent, not from when it was answered", () => {
    const { clocks, leadership } = aLeadership();
    clocks.pass(5000);
    const sent = instantOf(clocks.clock);
    clocks.pass(4000);
    leadership.renewed(sent);

    clocks.pass(5999);
    expect(() => leadership.check()).to.not.throw();

    clocks.pass(1);
    expect(() => leadership.check()).to.throw(LeaseLost);
  });

  it("is in doubt, not lost, when only the wall clock has jumped ahead: the machine may have slept", () => {
    const { clocks, leadership, doubts } = aLeadership();

    clocks.wallNow += 3_600_000;

    expect(() => leadership.check()).to.throw(TemporaryError, "the clock jumped");
    expect(doubts()).to.equal(1);
    expect(leadership.signal.aborted).to.equal(false);

    leadership.renewed(instantOf(clocks.clock));
    expect(() => leadership.check()).to.not.throw();
  });

  it("does not mind a wall clock that goes back", () => {
    const { clocks, leadership } = aLeadership();

    clocks.wallNow -= 3_600_000;

    expect(() => leadership.check()).to.not.throw();
  });

  it("stays lost, for the first reason", () => {
    const { leadership } = aLeadership();

    leadership.lose(new LeaseLost("taken by other"));
    leadership.lose(new LeaseLost("again"));
    leadership.renewed(instantOf(systemClock));

    expect(() => leadership.check()).to.throw(LeaseLost, "taken by other");
  });
});
