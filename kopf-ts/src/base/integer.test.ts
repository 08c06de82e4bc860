import { expect } from "chai";
import { parseInteger, parseNumber } from "./integer.ts";

describe("parseNumber", () => {
  for (const [text, number] of [
    ["7", 7],
    ["-1.5", -1.5],
    [" 12 ", 12],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    ["+9007199254740993", 9007199254740993n],
    ["0009007199254740993", 9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9223372036854775808", 2 ** 63],
    ["-9223372036854775809", -(2 ** 63)],
    ["100000000000000000000", 1e20],
    ["9007199254740993.0", 2 ** 53],
    ["9.007199254740993e15", 2 ** 53],
    ["1e300", 1e300],
    ["9".repeat(100_000), Number.POSITIVE_INFINITY],
  ] as const) {
    it(`of ${text.slice(0, 32)} is ${number}`, () => {
      expect(parseNumber(text)).to.equal(number);
    });
  }

  for (const text of ["", " ", "x", "1x", "9007199254740993n"]) {
    it(`of ${JSON.stringify(text)} is none`, () => {
      expect(parseNumber(text)).to.be.NaN;
    });
  }
});

describe("parseInteger", () => {
  for (const [text, integer] of [
    ["7", 7],
    ["+7", 7],
    ["-007", -7],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
  ] as const) {
    it(`of ${text} is ${integer}`, () => expect(parseInteger(text)).to.equal(integer));
  }

  for (const text of ["", " 7", "1.0", "1e3", "9223372036854775808", "-9223372036854775809"]) {
    it(`of ${JSON.stringify(text)} is none`, () => expect(parseInteger(text)).to.be.NaN);
  }
});
