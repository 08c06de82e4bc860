import { expect } from "chai";
import { cleanFields } from "./fields.ts";

const clean = (fields: Record<string, unknown>): Record<string, unknown> =>
  cleanFields(fields, { stacks: false });

describe("cleanFields", () => {
  for (const { name, given, expected } of [
    {
      name: "keeps plain data",
      given: { a: 1, b: "x", c: null, d: [true] },
      expected: { a: 1, b: "x", c: null, d: [true] },
    },
    {
      name: "drops what is undefined or a function",
      given: { a: undefined, b: () => 1 },
      expected: {},
    },
    {
      name: "hides secret fields",
      given: { token: "t", nested: { password: "p" } },
      expected: { token: "[redacted]", nested: { password: "[redacted]" } },
    },
    {
      name: "hides secret objects and lists whole",
      given: { secret: { a: "b" }, tokens: ["x"] },
      expected: { secret: "[redacted]", tokens: "[redacted]" },
    },
    {
      name: "shows counts and flags under a secret name",
      given: { tokens: 3, password: false },
      expected: { tokens: 3, password: false },
    },
    {
      name: "masks secrets inside texts",
      given: { header: "Bearer abcdefgh" },
      expected: { header: "Bearer [redacted]" },
    },
    {
      name: "renames fields of the line itself",
      given: { level: 3, time: 1, msg: "x" },
      expected: { level_: 3, time_: 1, msg_: "x" },
    },
    {
      name: "leaves such names alone further down",
      given: { a: { level: 3 } },
      expected: { a: { level: 3 } },
    },
    {
      name: "writes what JSON cannot",
      given: {
        a: 1n,
        b: new Date(0),
        c: Buffer.from("abc"),
        d: new Set([1]),
        e: new Map([["k", 2]]),
        f: new URL("http://h/p"),
      },
      expected: {
        a: "1",
        b: "1970-01-01T00:00:00.000Z",
        c: "[3 bytes]",
        d: [1],
        e: { k: 2 },
        f: "http://h/p",
      },
    },
    { name: "survives an invalid date", given: { a: new Date(Number.NaN) }, expected: { a: null } },
    {
      name: "stops at depth",
      given: { a: { b: { c: { d: { e: { f: 1 } } } } } },
      expected: { a: { b: { c: { d: { e: "[object]" } } } } },
    },
    {
      name: "cuts long lists",
      given: { a: Array.from({ length: 66 }, () => 0) },
      expected: { a: [...Array.from({ length: 64 }, () => 0), "[2 more]"] },
    },
    {
      name: "cuts long texts",
      given: { a: "x".repeat(9000) },
      expected: { a: `${"x".repeat(8192)}[cut]` },
    },
  ]) {
    it(name, () => expect(clean(given)).to.deep.equal(expected));
  }

  it("survives cycles", () => {
    const ring: Record<string, unknown> = {};
    ring.self = ring;

    expect(clean({ ring })).to.deep.equal({
      ring: { self: { self: { self: { self: "[object]" } } } },
    });
  });

  it("survives a getter that throws", () => {
    const fields = Object.defineProperty({}, "bad", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });

    expect(clean(fields)).to.deep.equal({ fieldsLost: "no" });
  });

  for (const { name, thrown, expected } of [
    {
      name: "what has no text",
      thrown: Object.create(null),
      expected: "something that has no text",
    },
    { name: "a secret", thrown: new Error("Bearer abcdefgh"), expected: "Bearer [redacted]" },
  ]) {
    it(`survives a getter that throws ${name}`, () => {
      const fields = {
        get bad(): never {
          throw thrown;
        },
      };

      expect(clean(fields)).to.deep.equal({ fieldsLost: expected });
    });
  }
});

describe("cleanFields of errors", () => {
  it("tells the message with those of its causes, the class, code and reason", () => {
    const inner = Object.assign(new TypeError("inner"), { code: "E1" });
    const error = Object.assign(new Error("outer", { cause: inner }), {
      code: 409,
      reason: "Conflict",
    });

    expect(clean({ error })).to.deep.equal({
      error: { message: "outer: inner", type: "Error", code: 409, reason: "Conflict" },
    });
  });

  it("carries every stack when asked", () => {
    const error = new Error("outer", { cause: new TypeError("inner") });

    const { stack } = cleanFields({ error }, { stacks: true }).error as { stack: string };

    expect(stack).to.match(/^Error: outer\n[\s\S]+\ncaused by TypeError: inner\n/);
  });

  it("lists the parts of an AggregateError", () => {
    const error = new AggregateError([new Error("a"), "b"], "several");

    expect(clean({ error })).to.deep.equal({
      error: { message: "several; a; b", type: "AggregateError" },
    });
  });

  it("masks secrets in messages", () => {
    expect(clean({ error: new Error("sent Bearer abcdefgh") })).to.deep.equal({
      error: { message: "sent Bearer [redacted]", type: "Error" },
    });
  });

  it("masks and cuts what else a server may have written", () => {
    const extra = { name: "Bearer abcdefgh", code: "x".repeat(9000), reason: "Bearer abcdefgh" };

    const { error } = clean({ error: Object.assign(new Error("m"), extra) });

    expect(error).to.deep.equal({
      message: "m",
      type: "Bearer [redacted]",
      code: `${"x".repeat(8192)}[cut]`,
      reason: "Bearer [redacted]",
    });
  });

  it("survives an error whose name is no text", () => {
    const error = Object.assign(new Error("m"), { name: 1n });

    expect(clean({ error })).to.deep.equal({ error: { message: "m", type: "1" } });
  });

  it("survives any number of causes", () => {
    let error = new Error("first");
    for (let depth = 0; depth < 10_000; depth += 1) error = new Error("next", { cause: error });

    const { stack } = cleanFields({ error }, { stacks: true }).error as { stack: string };

    expect(stack).to.match(/^Error: next\n/);
  });

  it("survives an error that causes itself", () => {
    const error = new Error("round");
    error.cause = error;

    expect(cleanFields({ error }, { stacks: true }).error).to.include({ message: "round" });
  });
});
