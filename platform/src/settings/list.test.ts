import { expect } from "chai";
import { namesIn } from "./list.ts";

describe("namesIn", () => {
  for (const { text, expected } of [
    { text: "a,b", expected: ["a", "b"] },
    { text: " a , b,,", expected: ["a", "b"] },
    { text: "", expected: [] },
  ]) {
    it(`reads "${text}"`, () => expect(namesIn(text)).to.deep.equal(expected));
  }
});
