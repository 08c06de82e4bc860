import { expect } from "chai";
import { splitOutside } from "./split.ts";

describe("splitOutside", () => {
  for (const { text, brackets, parts } of [
    { text: "", brackets: "[]", parts: [""] },
    { text: "a", brackets: "[]", parts: ["a"] },
    { text: ",a,,b,", brackets: "[]", parts: ["", "a", "", "b", ""] },
    { text: "a[b,c],d[e][f,g],h", brackets: "[]", parts: ["a[b,c]", "d[e][f,g]", "h"] },
    { text: "a(b,c)", brackets: "[]", parts: ["a(b", "c)"] },
    {
      text: "a in (b,c),!d,e notin (f,)",
      brackets: "()",
      parts: ["a in (b,c)", "!d", "e notin (f,)"],
    },
  ] as const) {
    it(`splits ${JSON.stringify(text)} outside of ${brackets}`, () => {
      expect(splitOutside(text, brackets)).to.deep.equal(parts);
    });
  }

  for (const piece of [",", "a,", "[,", "],"]) {
    it(`takes time in proportion to the text, of many '${piece}'`, () => {
      const text = piece.repeat(64_000);
      const began = performance.now();

      splitOutside(text, "[]");

      expect(performance.now() - began).to.be.below(500);
    });
  }
});
