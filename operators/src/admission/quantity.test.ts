import { expect } from "chai";
import { parseQuantity } from "./quantity.ts";

const billion = 1_000_000_000n;

describe("parseQuantity", () => {
  for (const { text, expected } of [
    { text: "0", expected: 0n },
    { text: "100", expected: 100n * billion },
    { text: "+5", expected: 5n * billion },
    { text: "-5", expected: -5n * billion },
    { text: "500m", expected: billion / 2n },
    { text: "0.5", expected: billion / 2n },
    { text: ".5", expected: billion / 2n },
    { text: "5.", expected: 5n * billion },
    { text: "1n", expected: 1n },
    { text: "1u", expected: 1_000n },
    { text: "2k", expected: 2_000n * billion },
    { text: "1Ki", expected: 1_024n * billion },
    { text: "1.5Gi", expected: 1_610_612_736n * billion },
    { text: "128Mi", expected: 134_217_728n * billion },
    { text: "1E", expected: 10n ** 18n * billion },
    { text: "1Ei", expected: 1024n ** 6n * billion },
    { text: "1e3", expected: 1_000n * billion },
    { text: "1E3", expected: 1_000n * billion },
    { text: "25e-1", expected: 2_500_000_000n },
    { text: "0.1n", expected: 1n },
    { text: "-0.1n", expected: -1n },
  ]) {
    it(`reads ${text}`, () => expect(parseQuantity(text)).to.equal(expected));
  }

  for (const text of [
    "",
    "m",
    "1 Gi",
    "1gi",
    "ten",
    "1e",
    "1e999",
    "0x10",
    "1Kii",
    "--1",
    ".",
    "1,5",
  ]) {
    it(`finds no amount in "${text}"`, () => expect(parseQuantity(text)).to.equal(undefined));
  }

  it("refuses a text that is too long to be meant", () => {
    expect(parseQuantity("1".repeat(65))).to.equal(undefined);
  });
});
