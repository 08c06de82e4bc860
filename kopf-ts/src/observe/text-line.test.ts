import { expect } from "chai";
import { toTextLine } from "./text-line.ts";

const head = { level: "info", time: "2026-01-02T03:04:05.678Z", msg: "it works" };

describe("toTextLine", () => {
  for (const { name, fields, expected } of [
    { name: "has time, level and message", fields: {}, expected: "it works\n" },
    {
      name: "appends plain values",
      fields: { a: 1, b: "x/y", c: true, d: null },
      expected: "it works a=1 b=x/y c=true d=null\n",
    },
    {
      name: "quotes what has blanks, quotes or signs",
      fields: { a: "x y", b: 'q"', c: "l\nf", d: "", e: "a=b" },
      expected: 'it works a="x y" b="q\\"" c="l\\nf" d="" e="a=b"\n',
    },
    {
      name: "writes lists and objects as JSON",
      fields: { a: [1], b: { c: 2 } },
      expected: 'it works a=[1] b={"c":2}\n',
    },
    {
      name: "reads errors as their message",
      fields: { error: { message: "no way", type: "ApiError", code: 404 } },
      expected: 'it works error="no way" error.type=ApiError error.code=404\n',
    },
    {
      name: "puts stacks below",
      fields: { error: { message: "no", stack: "Error: no\n    at x" }, z: 1 },
      expected: "it works error=no z=1\n    Error: no\n        at x\n",
    },
  ]) {
    it(name, () => {
      expect(toTextLine(JSON.stringify({ ...head, ...fields }))).to.equal(
        `2026-01-02T03:04:05.678Z INFO  ${expected}`,
      );
    });
  }

  it("passes on what is no JSON", () => expect(toTextLine("oops\n")).to.equal("oops\n"));
});
