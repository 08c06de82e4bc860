import { expect } from "chai";
import type { Shape } from "../items/item.ts";
import { parseShape } from "../items/shape.ts";
import { ItemLengths } from "./item-lengths.ts";

const shapeOf = (query: string): Shape => parseShape(new URLSearchParams(query));

describe("ItemLengths", () => {
  const [cache, other] = [{}, {}];
  const whole = shapeOf("");
  const ten = { items: 10, bytes: 1000, isPacked: false, summaries: 0 };
  let lengths: ItemLengths;

  beforeEach(() => {
    lengths = new ItemLengths();
    lengths.note(cache, whole, ten);
  });

  it("are what the last list had, and a little more", () => {
    expect(lengths.expected(cache, whole, 100)).to.be.within(10_001, 11_000);

    lengths.note(cache, whole, { ...ten, bytes: 2000 });
    expect(lengths.expected(cache, whole, 100)).to.be.within(20_001, 22_000);
  });

  it("follow the shape by what it says", () => {
    expect(lengths.expected(cache, shapeOf(""), 100)).to.be.greaterThan(0);
    expect(lengths.expected(cache, shapeOf("exclude=spec"), 100)).to.equal(0);
  });

  it("are not known of another type", () => {
    expect(lengths.expected(other, whole, 100)).to.equal(0);
  });

  for (const [name, written] of [
    ["an empty list", { items: 0, bytes: 300 }],
    ["a packed one", { bytes: 300, isPacked: true }],
    ["one with a summary", { bytes: 3000, summaries: 1 }],
  ] as const) {
    it(`are not told by ${name}`, () => {
      const known = lengths.expected(cache, whole, 100);
      lengths.note(cache, whole, { ...ten, ...written });

      expect(lengths.expected(cache, whole, 100)).to.equal(known);
    });
  }
});
