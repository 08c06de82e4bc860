import { expect } from "chai";
import { humanDuration } from "./human.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

const cases: readonly (readonly [length: number, text: string])[] = [
  [-2 * second, "<invalid>"],
  [-1999, "0s"],
  [-1, "0s"],
  [0, "0s"],
  [1999, "1s"],
  [2 * minute - 1, "119s"],
  [2 * minute, "2m"],
  [5 * minute + 30 * second, "5m30s"],
  [10 * minute - 1, "9m59s"],
  [10 * minute + 30 * second, "10m"],
  [3 * hour - 1, "179m"],
  [3 * hour, "3h"],
  [3 * hour + 38 * minute, "3h38m"],
  [8 * hour + 59 * minute, "8h"],
  [2 * day - 1, "47h"],
  [2 * day, "2d"],
  [4 * day + 2 * hour, "4d2h"],
  [8 * day + 5 * hour, "8d"],
  [2 * year - 1, "729d"],
  [2 * year, "2y"],
  [3 * year + 20 * day, "3y20d"],
  [9 * year + 20 * day, "9y"],
];

describe("humanDuration", () => {
  for (const [length, text] of cases) {
    it(`shows ${length} ms as ${text}`, () => {
      expect(humanDuration(length)).to.equal(text);
    });
  }
});
