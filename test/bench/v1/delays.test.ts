import { expect } from "chai";
import { type Arrival, type Change, delays, type Match } from "./delays.ts";

const changes: readonly Change[] = [
  [10, 1000],
  [12, 2000],
];

interface Case {
  readonly name: string;
  readonly observers: readonly (readonly Arrival[])[];
  readonly match: Match;
  readonly expected: Partial<ReturnType<typeof delays>>;
}

const cases: readonly Case[] = [
  {
    name: "take the first and the last observer of each change",
    observers: [
      [
        [10, 1003],
        [12, 2001],
      ],
      [
        [10, 1010],
        [12, 2004],
      ],
    ],
    match: "exact",
    expected: { p50: 3, p95: 10, first_p95: 3, last_p95: 10, spread_p95: 7, missed: 0 },
  },
  {
    name: "count what an observer was not told",
    observers: [[[12, 2001]], []],
    match: "exact",
    expected: { p95: 1, missed: 3 },
  },
  {
    name: "let a later notice stand for the changes before it",
    observers: [[[12, 2005]]],
    match: "later",
    expected: { p50: 5, p95: 1005, missed: 0 },
  },
  {
    name: "pass over what others changed",
    observers: [
      [
        [9, 900],
        [10, 1002],
        [11, 1500],
        [12, 2002],
      ],
    ],
    match: "exact",
    expected: { p50: 2, p95: 2, missed: 0 },
  },
  {
    name: "are below 0 for what overtook the answer",
    observers: [
      [
        [10, 998],
        [12, 1999],
      ],
    ],
    match: "exact",
    expected: { p50: -2, p95: -1, missed: 0 },
  },
  {
    name: "are 0 where nobody watches",
    observers: [],
    match: "exact",
    expected: { p95: 0, missed: 0 },
  },
];

describe("delays", () => {
  for (const { name, observers, match, expected } of cases) {
    it(name, () => expect(delays(changes, observers, match)).to.include(expected));
  }
});
