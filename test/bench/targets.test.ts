import { expect } from "chai";
import type { Rounds } from "./stats.ts";
import { judge, type Target } from "./targets.ts";

const target: Target = { subject: "us", peer: "them", figure: "wall_s", limit: 1.05 };
const { peer: _, ...alone } = target;

/** Rounds of both, from the wall times of each; undefined for a round that failed. */
function rounds(
  us: readonly (number | undefined)[],
  them: readonly (number | undefined)[] = us.map(() => 2),
): Rounds {
  const all = (times: readonly (number | undefined)[]) =>
    times.map((wall_s) =>
      wall_s === undefined ? { figures: {}, error: "no" } : { figures: { wall_s } },
    );
  return new Map([
    ["us", all(us)],
    ["them", all(them)],
  ]);
}

describe("judge", () => {
  for (const { name, given, of = target, reached, valid, words } of [
    {
      name: "a ratio under the limit",
      given: rounds([1, 1, 1, 1, 1]),
      reached: true,
      valid: 5,
      words: "wall_s: us / them = 0.5 (0.5-0.5), target at most 1.05: reached",
    },
    {
      name: "a ratio above it",
      given: rounds([3, 3, 3, 3, 3]),
      reached: false,
      valid: 5,
      words: "wall_s: us / them = 1.5 (1.5-1.5), target at most 1.05: MISSED",
    },
    {
      name: "one valid round out of five as not measured",
      given: rounds([undefined, undefined, 1, undefined, undefined]),
      reached: undefined,
      valid: 1,
      words: "wall_s: us / them not measured: 1 of 5 rounds are valid",
    },
    {
      name: "a peer that failed as not measured",
      given: rounds([1, 1, 1, 1, 1], [2, 2, undefined, 2, 2]),
      reached: undefined,
      valid: 4,
      words: "wall_s: us / them not measured: 4 of 5 rounds are valid",
    },
    {
      name: "a figure without a peer in the same way",
      given: rounds([1, 1, 1, 1, undefined]),
      of: alone,
      reached: undefined,
      valid: 4,
      words: "wall_s: us not measured: 4 of 5 rounds are valid",
    },
    {
      name: "every round of a short run as enough",
      given: rounds([1, 1]),
      reached: true,
      valid: 2,
      words: "wall_s: us / them = 0.5 (0.5-0.5), target at most 1.05: reached",
    },
    {
      name: "five valid rounds of a long run as enough",
      given: rounds([1, 1, 1, 1, 1, undefined, undefined]),
      reached: true,
      valid: 5,
      words: "wall_s: us / them = 0.5 (0.5-0.5), target at most 1.05: reached",
    },
    {
      name: "a difference to a peer",
      given: rounds([6, 8, 7, 6, 9]),
      of: { ...target, by: "difference", limit: 5 } as const,
      reached: true,
      valid: 5,
      words: "wall_s: us - them = 5 (4-7), target at most 5: reached",
    },
    {
      name: "a difference to a peer that is 0",
      given: rounds([6, 6, 6, 6, 6], [0, 0, 0, 0, 0]),
      of: { ...target, by: "difference", limit: 5 } as const,
      reached: false,
      valid: 5,
      words: "wall_s: us - them = 6 (6-6), target at most 5: MISSED",
    },
    {
      name: "a subject that took no part as not run",
      given: new Map([["us", [{ figures: { wall_s: 1 } }]]]),
      reached: undefined,
      valid: 0,
      words: "wall_s: us / them not run",
    },
  ]) {
    it(`takes ${name}`, () => {
      const judged = judge(of, given);

      expect([judged.reached, judged.valid, judged.text]).to.deep.equal([reached, valid, words]);
    });
  }
});
