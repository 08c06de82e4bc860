import { expect } from "chai";
import { formatQuantity, parseQuantity, sumQuantities } from "./quantity.ts";

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

describe("sumQuantities", () => {
  for (const { title, amounts, expected } of [
    { title: "nothing", amounts: [], expected: "0" },
    { title: "zeros", amounts: ["0", "0Mi"], expected: "0" },
    { title: "one amount", amounts: ["128Mi"], expected: "128Mi" },
    { title: "what makes a whole unit", amounts: ["512Mi", "512Mi"], expected: "1Gi" },
    { title: "fractions of processors", amounts: ["0.1", "200m", "1"], expected: "1300m" },
    { title: "fractions to a whole", amounts: ["500m", "500m"], expected: "1" },
    { title: "numbers", amounts: [110, 110], expected: "220" },
    { title: "thousands", amounts: ["1k", "1k"], expected: "2k" },
    { title: "units of 1024 and plain bytes", amounts: ["1Ki", "1"], expected: "1025" },
    { title: "plain bytes and units of 1024", amounts: ["1", "1Ki"], expected: "1025" },
    {
      title: "the form of the first that is not 0",
      amounts: ["0", "1Gi", "1G"],
      expected: "2073741824",
    },
    { title: "decimal first", amounts: ["1G", "1Gi"], expected: "2073741824" },
    { title: "a half of a byte", amounts: ["1Ki", "500m"], expected: "1024500m" },
    { title: "less than nothing", amounts: ["1Gi", "-2Gi"], expected: "-1Gi" },
    { title: "what is no amount", amounts: ["1", "ten"], expected: "1" },
    { title: "billionths", amounts: ["1n", "2n"], expected: "3n" },
    {
      title: "more than fits into 64 bits, and into a float",
      amounts: ["9007199254740993", "9007199254740993Ki"],
      expected: "9232379236109517825",
    },
    { title: "beyond the largest units", amounts: ["1024Ei"], expected: "1024Ei" },
    { title: "beyond the largest decimal unit", amounts: ["5000E"], expected: "5000E" },
  ]) {
    it(`adds ${title}`, () => expect(sumQuantities(amounts)).to.equal(expected));
  }

  it("does not depend on how an amount is spread", () => {
    const thirds = Array.from({ length: 3000 }, () => "333333333n");

    expect(sumQuantities(thirds)).to.equal("999999999u");
  });
});

describe("formatQuantity", () => {
  for (const text of [
    "0",
    "1",
    "100m",
    "1500m",
    "2k",
    "1025",
    "1Ki",
    "1536Mi",
    "3Ti",
    "1n",
    "-5",
    "7E",
  ]) {
    it(`writes ${text} as it was read`, () => {
      const form = text.endsWith("i") ? "binary" : "decimal";

      expect(formatQuantity(parseQuantity(text) ?? -1n, form)).to.equal(text);
    });
  }
});
