import { inspect } from "node:util";
import { expect } from "chai";
import { compareRows, type Direction, type SortValues } from "./orders.ts";

const up: Direction = { descending: false, absent: "first" };
const down: Direction = { descending: true, absent: "last" };
const infinite = Number.POSITIVE_INFINITY; // as what is no number
const label: Direction = { descending: false, absent: "last" };

const rows: readonly {
  readonly a: readonly SortValues[];
  readonly b: readonly SortValues[];
  readonly by: readonly Direction[];
  readonly order: -1 | 0 | 1;
}[] = [
  { a: [], b: [], by: [], order: 0 },
  { a: [["a"]], b: [["b"]], by: [up], order: -1 },
  { a: [["a"]], b: [["b"]], by: [down], order: 1 },
  { a: [["B"]], b: [["a"]], by: [up], order: 1 },
  { a: [["A"]], b: [["a"]], by: [up], order: 0 },
  { a: [[10]], b: [[9]], by: [up], order: 1 },
  { a: [[10]], b: [["9"]], by: [up], order: -1 },
  { a: [[undefined]], b: [["a"]], by: [up], order: -1 },
  { a: [[undefined]], b: [["a"]], by: [down], order: 1 },
  { a: [[undefined]], b: [["a"]], by: [label], order: 1 },
  { a: [[undefined]], b: [[undefined]], by: [up], order: 0 },
  { a: [[1, "1"]], b: [[1, "1.0"]], by: [up], order: -1 },
  { a: [[9007199254740993n]], b: [[2 ** 53]], by: [up], order: 1 },
  { a: [[9007199254740993n]], b: [[9007199254740994n]], by: [down], order: 1 },
  { a: [[9007199254740993n]], b: [[9007199254740993n]], by: [up], order: 0 },
  { a: [[9007199254740993n]], b: [["9"]], by: [up], order: -1 },
  { a: [[9007199254740993n]], b: [[1.5]], by: [up], order: 1 },
  { a: [[9007199254740993n]], b: [[infinite]], by: [up], order: -1 },
  { a: [[infinite, "a"]], b: [[infinite, "b"]], by: [up], order: -1 },
  { a: [[infinite], ["x"]], b: [[infinite], ["y"]], by: [down, up], order: -1 },
  { a: [["a"], ["x"]], b: [["a"], ["y"]], by: [up, down], order: 1 },
  { a: [["a"], ["x"]], b: [["b"], ["y"]], by: [up, down], order: -1 },
];

describe("compareRows", () => {
  for (const { a, b, by, order } of rows) {
    it(`of ${inspect(a)} and ${inspect(b)} is ${order}`, () => {
      expect(Math.sign(compareRows(a, b, by))).to.equal(order);
      expect(Math.sign(compareRows(b, a, by))).to.equal(order === 0 ? 0 : -order);
    });
  }
});
