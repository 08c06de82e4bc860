import { expect } from "chai";
import { toQuantity } from "./quantity.ts";

describe("toQuantity", () => {
  for (const { value, expected } of [
    { value: "100m", expected: 0.1 },
    { value: "1Gi", expected: 2 ** 30 },
    { value: "1.5Ki", expected: 1536 },
    { value: "1e3", expected: 1000 },
    { value: "1E3", expected: 1000 },
    { value: "1E", expected: 1e18 },
    { value: "-2k", expected: -2000 },
    { value: "+.5", expected: 0.5 },
    { value: "5.", expected: 5 },
    { value: "100n", expected: 1e-7 },
    { value: 7, expected: 7 },
  ]) {
    it(`reads ${value}`, () => expect(toQuantity(value)).to.be.closeTo(expected, 1e-12));
  }

  for (const value of ["", "m", "1 Gi", "1gi", "1K", "1e", "0x10", "NaN", ".", null, true, {}]) {
    it(`finds no number in ${JSON.stringify(value)}`, () => {
      expect(toQuantity(value)).to.be.NaN;
    });
  }

  it("takes time in proportion to the text", () => {
    const began = performance.now();

    expect(toQuantity(`${"1".repeat(64_000)}x`)).to.be.NaN;

    expect(performance.now() - began).to.be.below(500);
  });
});
