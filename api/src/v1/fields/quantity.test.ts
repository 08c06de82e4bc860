import { expect } from "chai";
import { quantityOf } from "./quantity.ts";

describe("quantityOf", () => {
  for (const [text, number] of [
    ["0", 0],
    ["1", 1],
    ["-1.5", -1.5],
    [".5", 0.5],
    ["1.", 1],
    ["100m", 0.1],
    ["250u", 0.00025],
    ["3n", 3e-9],
    ["2k", 2000],
    ["2M", 2e6],
    ["1Ki", 1024],
    ["1.5Gi", 1.5 * 2 ** 30],
    ["1Ei", 2 ** 60],
    ["1E", 1e18],
    ["1e3", 1000],
    ["12E2", 1200],
    [7, 7],
  ] as const) {
    it(`${text} is ${number}`, () => {
      expect(quantityOf(text)).to.be.closeTo(number, Math.abs(number) * 1e-12);
    });
  }

  for (const text of ["", "m", "1 Ki", "1ki", "1mm", "0x1", "--1", undefined, null, {}]) {
    it(`${JSON.stringify(text)} is none`, () => {
      expect(quantityOf(text)).to.be.NaN;
    });
  }

  it("takes time in proportion to the text", () => {
    const began = performance.now();

    expect(quantityOf(`${"1".repeat(64_000)}x`)).to.be.NaN;

    expect(performance.now() - began).to.be.below(500);
  });
});
