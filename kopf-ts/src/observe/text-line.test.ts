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
    {
      name: "escapes what drives a terminal: C0, DEL, C1, separators and directions",
      fields: { a: "\x1b[2J", b: "x\x7f\x9b2J", c: "\u2028", d: ["\u202e", "\x9d"] },
      expected:
        'it works a="\\u001b[2J" b="x\\u007f\\u009b2J" c="\\u2028" d=["\\u202e","\\u009d"]\n',
    },
    {
      name: "escapes the same in names, errors and stacks",
      fields: {
        "a\x9b": 1,
        "b c": 2,
        e: { message: "\x9b", "p\x1b": 3, stack: "E\x1b]0;x\x07\n at\r" },
      },
      expected:
        'it works "a\\u009b"=1 "b c"=2 e="\\u009b" "e.p\\u001b"=3\n    E\\u001b]0;x\\u0007\n     at\\r\n',
    },
    {
      name: "leaves other scripts alone",
      fields: { a: "żółć-日本" },
      expected: "it works a=żółć-日本\n",
    },
  ]) {
    it(name, () => {
      expect(toTextLine(JSON.stringify({ ...head, ...fields }))).to.equal(
        `2026-01-02T03:04:05.678Z INFO  ${expected}`,
      );
    });
  }

  it("keeps the message in its line", () => {
    const line = toTextLine(JSON.stringify({ ...head, msg: "a\nb\x1b[2J" }));

    expect(line).to.equal("2026-01-02T03:04:05.678Z INFO  a\\nb\\u001b[2J\n");
  });

  it("passes on what is no JSON", () => expect(toTextLine("oops\n")).to.equal("oops\n"));
});
