import { expect } from "chai";
import { Pace } from "./pace.ts";

const hour = 3_600_000;
const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Lets every key come back when it was told to, and says when each had its turn. */
function turns(pace: Pace, keys: readonly string[], late: number, start = 0): readonly number[] {
  return keys.map((key) => {
    const wait = pace.wait(key, late, start);
    return wait === 0 ? start : start + wait;
  });
}

describe("Pace", () => {
  it("lets the first go at once", () => {
    expect(new Pace().wait("a", hour, 1_000)).to.equal(0);
  });

  it("spreads a backlog evenly", () => {
    const pace = new Pace({ perSecond: 50 });

    const at = turns(pace, names("old", 3_000), hour);

    expect(at.slice(0, 4)).to.deep.equal([0, 20, 40, 60]);
    expect(at.at(-1)).to.equal(59_980);
  });

  it("keeps a key's turn until it comes, then gives it no second one", () => {
    const pace = new Pace({ perSecond: 1 });
    turns(pace, ["a", "b"], hour);

    expect(pace.wait("b", hour, 400)).to.equal(600);
    expect(pace.wait("b", hour, 1_000)).to.equal(0);
    expect(pace.wait("b", hour, 1_000)).to.equal(1_000);
  });

  it("lets a token that expires now pass a backlog", () => {
    const pace = new Pace({ perSecond: 50 });
    turns(pace, names("old", 10_000), hour);

    expect(pace.wait("now", 3, 0)).to.equal(0);
  });

  it("delays no token by more than a second, when thousands expired at the instant before", () => {
    const pace = new Pace({ perSecond: 50 });
    const crowd = turns(pace, names("crowd", 5_000), 1);

    const [latecomer] = turns(pace, ["now"], 1, 100);

    expect(crowd.at(-1)).to.be.within(90_000, 110_000);
    expect(latecomer).to.be.at.most(1_100);
  });

  it("lets at most twice the rate through, whatever comes", () => {
    const pace = new Pace({ perSecond: 10 });
    const at = [...turns(pace, names("old", 500), hour), ...turns(pace, names("now", 500), 0)];

    const inFirstSecond = at.filter((time) => time < 1_000);

    expect(inFirstSecond).to.have.length(20);
  });

  it("saves up no turns while nothing expires", () => {
    const pace = new Pace({ perSecond: 10 });
    turns(pace, ["a"], hour);

    const at = turns(pace, names("later", 3), hour, 60_000);

    expect(at).to.deep.equal([60_000, 60_100, 60_200]);
  });

  it("does not let everything through at once that came due while the process stood still", () => {
    const pace = new Pace({ perSecond: 50 });
    const keys = names("old", 1_000);
    turns(pace, keys, hour);

    const waits = keys.map((key) => pace.wait(key, hour, 30_000));
    const late = waits.filter((wait) => wait > 0);

    expect(waits.length - late.length).to.be.within(1, 7);
    expect(new Set(late).size).to.equal(late.length);
    expect(Math.max(...late)).to.be.within(19_500, 20_500);
  });

  it("gives every turn when all come a little late", () => {
    const pace = new Pace({ perSecond: 50 });
    const [first = "", ...others] = names("old", 500);
    turns(pace, [first, ...others], hour);

    const waits = others.map((key, index) => pace.wait(key, hour, index * 20 + 55));

    expect(waits.filter((wait) => wait > 0)).to.deep.equal([]);
  });

  it("keeps a turn in the lane where it was given, however late the token gets", () => {
    const pace = new Pace({ perSecond: 1 });
    turns(pace, names("old", 100), hour);
    turns(pace, ["a", "b"], 4_500);

    expect(pace.wait("b", 5_500, 1_000)).to.equal(0);
  });

  it("forgets turns that nobody took", () => {
    const pace = new Pace({ perSecond: 1 });
    turns(pace, ["a", "gone"], hour);

    turns(pace, ["b"], hour, 120_000);

    expect(pace.wait("gone", hour, 120_000)).to.equal(1_000);
  });
});
