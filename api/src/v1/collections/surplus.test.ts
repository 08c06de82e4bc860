import { expect } from "chai";
import { surplus, type Weighed } from "./surplus.ts";

interface Named extends Weighed {
  readonly name: string;
}

const minute = 60_000;

function aCache(name: string, idle: number, objects: number, rest = 1): Named {
  return { name, isUsed: idle === 0, idle, objects, rest };
}

describe("surplus", () => {
  const caches = [
    aCache("used", 0, 100, 10),
    aCache("now", 1, 50, 5),
    aCache("old", 10 * minute, 30, 3),
    aCache("older", 20 * minute, 20, 2),
    aCache("shared", 30 * minute, 0, 4),
  ];

  for (const { limit, drop, end } of [
    { limit: 224, drop: [], end: [] },
    { limit: 223, drop: ["older"], end: [] },
    { limit: 204, drop: ["older"], end: [] },
    { limit: 203, drop: ["older", "old"], end: [] },
    { limit: 124, drop: ["older", "old", "now"], end: [] },
    { limit: 122, drop: ["older", "old", "now"], end: ["shared"] },
    { limit: 0, drop: ["older", "old", "now"], end: ["shared", "older", "old"] },
  ]) {
    it(`takes back ${drop.concat(end).join(", ") || "nothing"} for ${limit} bytes`, () => {
      const taken = surplus(caches, limit);

      expect(taken.drop.map(({ name }) => name)).to.deep.equal(drop);
      expect(taken.end.map(({ name }) => name)).to.deep.equal(end);
    });
  }
});
