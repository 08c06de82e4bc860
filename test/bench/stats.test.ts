import { expect } from "chai";
import { failuresOf, pairedRatio, type Rounds, spread, summarize, table } from "./stats.ts";

describe("bench stats", () => {
  for (const { name, values, expected } of [
    { name: "takes the middle of an odd number", values: [3, 1, 2], expected: [2, 1, 3] },
    {
      name: "averages the two middles of an even number",
      values: [4, 1, 2, 3],
      expected: [2.5, 1, 4],
    },
    { name: "is zero without values", values: [], expected: [0, 0, 0] },
  ]) {
    it(name, () => {
      const { median, min, max } = spread(values);

      expect([median, min, max]).to.deep.equal(expected);
    });
  }

  const rounds: Rounds = new Map([
    ["us", [1, 4, 3].map((wall_s) => ({ figures: { wall_s } }))],
    ["them", [2, 8, 2].map((wall_s) => ({ figures: { wall_s } }))],
  ]);
  const broken: Rounds = new Map([
    ["us", [{ figures: {}, error: "ended with code 1: oops\nat x" }, { figures: { wall_s: 2 } }]],
    ["them", [{ figures: { wall_s: 2 } }, { figures: { wall_s: 3 } }]],
  ]);

  it("pairs the rounds for a ratio", () => {
    expect(pairedRatio(rounds, "us", "them", "wall_s")).to.deep.equal({
      median: 0.5,
      min: 0.5,
      max: 1.5,
      valid: 3,
    });
  });

  it("has no ratio against a peer that did not run", () => {
    expect(pairedRatio(rounds, "us", "nobody", "wall_s")).to.equal(undefined);
  });

  it("tells of each figure in how many rounds it was taken", () => {
    const { us, them } = summarize(broken);

    expect([us?.wall_s?.valid, them?.wall_s?.valid]).to.deep.equal([1, 2]);
  });

  it("finds the rounds that failed", () => {
    expect(failuresOf(broken)).to.deep.equal([
      { subject: "us", round: 1, error: "ended with code 1: oops\nat x" },
    ]);
  });

  it("prints a row per subject", () => {
    expect(table(rounds).split("\n")).to.deep.equal([
      "      rounds  wall_s",
      "us    3/3     3 (1-4)",
      "them  3/3     2 (2-8)",
    ]);
  });

  it("prints a row per figure when there are many", () => {
    const figures = Object.fromEntries(
      Array.from({ length: 13 }, (_, index) => [`f${index}`, index]),
    );
    const lines = table(
      new Map([
        ["us", [{ figures }]],
        ["them", [{ figures: { f1: 7 } }]],
      ]),
    ).split("\n");

    expect(lines.slice(0, 4)).to.deep.equal([
      "        us   them",
      "rounds  1/1  1/1",
      "f0      0    -",
      "f1      1    7",
    ]);
    expect(lines).to.have.length(15);
  });

  it("prints which rounds failed, and why", () => {
    expect(table(broken).split("\n")).to.deep.equal([
      "      rounds  wall_s",
      "us    1/2     2",
      "them  2/2     2.5 (2-3)",
      "us, round 1: FAILED: ended with code 1: oops",
    ]);
  });
});
