import { expect } from "chai";
import { type Figures, pairedRatio, spread, summarize, table } from "./stats.ts";

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

  const rounds = new Map<string, readonly Figures[]>([
    ["us", [{ wall_s: 1 }, { wall_s: 4 }, { wall_s: 3 }]],
    ["them", [{ wall_s: 2 }, { wall_s: 8 }, { wall_s: 2 }]],
  ]);

  it("pairs the rounds for a ratio", () => {
    expect(pairedRatio(rounds, "us", "them", "wall_s")).to.deep.equal({
      median: 0.5,
      min: 0.5,
      max: 1.5,
    });
  });

  it("has no ratio against a peer that did not run", () => {
    expect(pairedRatio(rounds, "us", "nobody", "wall_s")).to.equal(undefined);
  });

  it("prints a row per subject", () => {
    expect(table(summarize(rounds)).split("\n")).to.deep.equal([
      "      wall_s",
      "us    3 (1-4)",
      "them  2 (2-8)",
    ]);
  });
});
