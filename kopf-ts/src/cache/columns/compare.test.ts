import { expect } from "chai";
import { compareNoCase, compareNumbers, compareText, TextOrder } from "./compare.ts";

describe("compareText", () => {
  const texts = [
    "",
    "-",
    ".",
    "/",
    "0",
    "10",
    "9",
    "A",
    "Z",
    "a",
    "a-b",
    "a.b",
    "a/b",
    "aa",
    "b",
    "é",
    "ｆ", // U+FF46, three bytes in UTF-8, above surrogates in UTF-16
    "\uffff",
    "😀",
    "😀a",
    "😁",
  ];

  it("orders texts as their UTF-8 bytes are ordered", () => {
    const expected = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

    expect(texts.toReversed().sort(compareText)).to.deep.equal(expected);
    expect(texts).to.deep.equal(expected);
  });

  it("is zero only for equal texts", () => {
    for (const [x, a] of texts.entries()) {
      for (const [y, b] of texts.entries()) {
        expect(Math.sign(compareText(a, b))).to.equal(Math.sign(x - y));
      }
    }
  });
});

describe("compareNoCase", () => {
  it("takes A to Z for a to z, and nothing else", () => {
    const texts = ["", "A1", "a2", "B", "b", "[", "é", "É", "ﬀ", "😀"];
    const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (one) => one.toLowerCase());

    for (const a of texts) {
      for (const b of texts) {
        const expected = Math.sign(compareText(lower(a), lower(b)));
        expect(Math.sign(compareNoCase(a, b))).to.equal(expected);
      }
    }
    expect(compareNoCase("abC", "ABc")).to.equal(0);
    expect(compareNoCase("_", "A")).to.be.below(0);
  });
});

describe("TextOrder", () => {
  it("ignores case when it is told to, once it has met any", () => {
    const order = new TextOrder();
    const sorted = (texts: readonly string[]): readonly string[] =>
      texts.toSorted((a, b) => order.compare(a, b, true));
    const small = ["b", "a"];
    for (const text of small) order.meet(text);
    const before = sorted(small);
    for (const text of ["C", "B"]) order.meet(text);

    expect(before).to.deep.equal(["a", "b"]);
    expect(sorted(["C", "b", "B", "a"])).to.deep.equal(["a", "b", "B", "C"]);
  });

  it("orders plain texts, and all of them once it has met one that is not", () => {
    const order = new TextOrder();
    const compare = (a: string, b: string): number => order.compare(a, b);
    const plain = ["b", "", "é", "a/b", "a-b", "a"];
    const wide = ["😀", "\uff46", "z", "\u{1f601}"];

    for (const text of plain) order.meet(text);
    const sorted = plain.toSorted(compare);
    for (const text of wide) order.meet(text);

    expect(sorted).to.deep.equal(["", "a", "a-b", "a/b", "b", "é"]);
    expect([...plain, ...wide].sort(compare)).to.deep.equal([
      ...sorted.slice(0, 5),
      "z",
      "é",
      ...wide.toSorted(compareText).slice(1),
    ]);
  });
});

describe("compareNumbers", () => {
  it("puts what is absent first", () => {
    const numbers = [3, Number.NaN, -1, Number.POSITIVE_INFINITY, 0, Number.NEGATIVE_INFINITY];

    expect(Array.from(numbers).sort(compareNumbers)).to.deep.equal([
      Number.NaN,
      Number.NEGATIVE_INFINITY,
      -1,
      0,
      3,
      Number.POSITIVE_INFINITY,
    ]);
    expect(compareNumbers(Number.NaN, Number.NaN)).to.equal(0);
  });

  it("compares bigints with all others", () => {
    const numbers = [9007199254740993n, 2 ** 53, Number.NaN, 1.5, -1n, Number.POSITIVE_INFINITY];

    expect(Array.from(numbers).sort(compareNumbers)).to.deep.equal([
      ...[Number.NaN, -1n, 1.5, 2 ** 53, 9007199254740993n, Number.POSITIVE_INFINITY],
    ]);
    expect(compareNumbers(2, 2n)).to.equal(0);
  });
});
