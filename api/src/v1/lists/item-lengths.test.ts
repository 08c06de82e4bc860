import { expect } from "chai";
import type { Shape } from "../items/item.ts";
import { parseShape } from "../items/shape.ts";
import { ItemLengths } from "./item-lengths.ts";

const shapeOf = (query: string): Shape => parseShape(new URLSearchParams(query));

describe("ItemLengths", () => {
  const [cache, other] = [{}, {}];
  const whole = shapeOf("");
  let lengths: ItemLengths;

  beforeEach(() => {
    lengths = new ItemLengths();
    lengths.note(cache, whole, 10, 1000);
  });

  it("are what the last list had, and a little more", () => {
    expect(lengths.expected(cache, whole, 100)).to.be.within(10_001, 11_000);

    lengths.note(cache, whole, 10, 2000);
    expect(lengths.expected(cache, whole, 100)).to.be.within(20_001, 22_000);
  });

  it("follow the shape by what it says", () => {
    expect(lengths.expected(cache, shapeOf(""), 100)).to.be.greaterThan(0);
    expect(lengths.expected(cache, shapeOf("exclude=spec"), 100)).to.equal(0);
  });

  it("are not known of another type", () => {
    expect(lengths.expected(other, whole, 100)).to.equal(0);
  });

  it("are not told by an empty list", () => {
    const known = lengths.expected(cache, whole, 100);
    lengths.note(cache, whole, 0, 300);

    expect(lengths.expected(cache, whole, 100)).to.equal(known);
  });
});
