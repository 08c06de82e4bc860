import { expect } from "chai";
import { Throttle } from "./throttle.ts";

const hour = 3_600_000;
const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Lets every key come back when it was told to, and says when each had its turn. */
function turns(
  throttle: Throttle,
  keys: readonly string[],
  late: number,
  start = 0,
): readonly number[] {
  return keys.map((key) => {
    const wait = throttle.wait(key, late, start);
    return wait === 0 ? start : start + wait;
  });
}

describe("Throttle", () => {
  it("lets the first go at once", () => {
    expect(new Throttle().wait("a", hour, 1_000)).to.equal(0);
  });

  it("spreads a backlog evenly", () => {
    const throttle = new Throttle({ perSecond: 50 });

    const at = turns(throttle, names("old", 3_000), hour);

    expect(at.slice(0, 4)).to.deep.equal([0, 20, 40, 60]);
    expect(at.at(-1)).to.equal(59_980);
  });

  it("keeps a key's turn until it comes, then gives it no second one", () => {
    const throttle = new Throttle({ perSecond: 1 });
    turns(throttle, ["a", "b"], hour);

    expect(throttle.wait("b", hour, 400)).to.equal(600);
    expect(throttle.wait("b", hour, 1_000)).to.equal(0);
    expect(throttle.wait("b", hour, 1_000)).to.equal(1_000);
  });

  it("lets a key that comes due now pass a backlog", () => {
    const throttle = new Throttle({ perSecond: 50 });
    turns(throttle, names("old", 10_000), hour);

    expect(throttle.wait("now", 3, 0)).to.equal(0);
  });

  it("delays no key by more than a second, when thousands came due at the instant before", () => {
    const throttle = new Throttle({ perSecond: 50 });
    const crowd = turns(throttle, names("crowd", 5_000), 1);

    const [latecomer] = turns(throttle, ["now"], 1, 100);

    expect(crowd.at(-1)).to.be.within(90_000, 110_000);
    expect(latecomer).to.be.at.most(1_100);
  });

  it("lets at most twice the rate through, whatever comes", () => {
    const throttle = new Throttle({ perSecond: 10 });
    const at = [
      ...turns(throttle, names("old", 500), hour),
      ...turns(throttle, names("now", 500), 0),
    ];

    const inFirstSecond = at.filter((time) => time < 1_000);

    expect(inFirstSecond).to.have.length(20);
  });

  it("saves up no turns while nothing comes due", () => {
    const throttle = new Throttle({ perSecond: 10 });
    turns(throttle, ["a"], hour);

    const at = turns(throttle, names("later", 3), hour, 60_000);

    expect(at).to.deep.equal([60_000, 60_100, 60_200]);
  });

  it("does not let everything through at once that came due while the process stood still", () => {
    const throttle = new Throttle({ perSecond: 50 });
    const keys = names("old", 1_000);
    turns(throttle, keys, hour);

    const waits = keys.map((key) => throttle.wait(key, hour, 30_000));
    const late = waits.filter((wait) => wait > 0);

    expect(waits.length - late.length).to.be.within(1, 7);
    expect(new Set(late).size).to.equal(late.length);
    expect(Math.max(...late)).to.be.within(19_500, 20_500);
  });

  it("gives every turn when all come a little late", () => {
    const throttle = new Throttle({ perSecond: 50 });
    const [first = "", ...others] = names("old", 500);
    turns(throttle, [first, ...others], hour);

    const waits = others.map((key, index) => throttle.wait(key, hour, index * 20 + 55));

    expect(waits.filter((wait) => wait > 0)).to.deep.equal([]);
  });

  it("keeps a turn in the lane where it was given, however late the key gets", () => {
    const throttle = new Throttle({ perSecond: 1 });
    turns(throttle, names("old", 100), hour);
    turns(throttle, ["a", "b"], 4_500);

    expect(throttle.wait("b", 5_500, 1_000)).to.equal(0);
  });

  it("forgets turns that nobody took", () => {
    const throttle = new Throttle({ perSecond: 1 });
    turns(throttle, ["a", "gone"], hour);

    turns(throttle, ["b"], hour, 120_000);

    expect(throttle.wait("gone", hour, 120_000)).to.equal(1_000);
  });
});
