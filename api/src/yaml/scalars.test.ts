import { expect } from "chai";
import { meaningOf } from "./scalars.ts";

describe("meaningOf", () => {
  for (const [text, meaning] of [
    ["0644", 420n],
    ["0x1F", 31n],
    ["-0b11", -3n],
    ["1_000", 1_000n],
    ["0899", 899],
    ["12345678901234567890123", 12_345_678_901_234_567_890_123n],
    ["0xfffffffffffffffff", "0xfffffffffffffffff"],
    ["1.50", 1.5],
    [".5e1", 5],
    ["1e400", "1e400"],
    ["on", true],
    ["No", false],
    ["y", true],
    ["oN", "oN"],
    ["", null],
    ["~", null],
    ["1:20", "1:20"],
    ["2001-01-01", "2001-01-01"],
    ["_1", "_1"],
  ] as const) {
    it(`is ${meaning} of ${text || "nothing"}`, () => {
      expect(meaningOf(text)).to.equal(meaning);
    });
  }
});
