import { expect } from "chai";
import { messageOf } from "./errors.ts";

/** An error whose causes lead back to it, by way of another one. */
function ring(): Error {
  const inner = new Error("inner");
  const outer = new Error("outer", { cause: inner });
  inner.cause = outer;
  return outer;
}

function chain(length: number): Error {
  let error = new Error("0");
  for (let depth = 1; depth < length; depth += 1) error = new Error(`${depth}`, { cause: error });
  return error;
}

const throwing = (name: string): Error =>
  Object.defineProperty(new Error("seen"), name, {
    get: () => {
      throw new Error("no");
    },
  });

describe("messageOf", () => {
  for (const { name, thrown, expected } of [
    { name: "an error", thrown: new TypeError("a"), expected: "a" },
    { name: "a text", thrown: "a", expected: "a" },
    { name: "nothing", thrown: undefined, expected: "undefined" },
    { name: "a symbol", thrown: Symbol("a"), expected: "Symbol(a)" },
    {
      name: "an error with causes",
      thrown: new Error("a", { cause: new Error("b", { cause: "c" }) }),
      expected: "a: b: c",
    },
    {
      name: "an error that tells its cause itself",
      thrown: new Error("a: b", { cause: new Error("b") }),
      expected: "a: b",
    },
    {
      name: "an error that tells its cause itself, but not what caused that",
      thrown: new Error("a: b", { cause: new Error("b", { cause: new Error("c") }) }),
      expected: "a: b: c",
    },
    {
      name: "an error that tells all of its causes itself",
      thrown: new Error("a: b: c", { cause: new Error("b", { cause: new Error("c") }) }),
      expected: "a: b: c",
    },
    {
      name: "an error with an empty cause",
      thrown: new Error("a", { cause: new Error("") }),
      expected: "a",
    },
    {
      name: "an error with the cause null",
      thrown: new Error("a", { cause: null }),
      expected: "a: null",
    },
    { name: "an error that causes itself in two steps", thrown: ring(), expected: "outer: inner" },
    {
      name: "an object that has no text",
      thrown: Object.create(null),
      expected: "something that has no text",
    },
    {
      name: "an error whose message cannot be read",
      thrown: throwing("message"),
      expected: "something that has no text",
    },
    { name: "an error whose cause cannot be read", thrown: throwing("cause"), expected: "seen" },
    {
      name: "an error whose message is a number",
      thrown: Object.assign(new Error("a"), { message: 7 }),
      expected: "7",
    },
  ]) {
    it(`reads ${name}`, () => expect(messageOf(thrown)).to.equal(expected));
  }

  it("reads an error that causes itself", () => {
    const error = new Error("round");
    error.cause = error;

    expect(messageOf(error)).to.equal("round");
  });

  it("reads the first sixteen of any number of causes", () => {
    const parts = messageOf(chain(100_000)).split(": ");

    expect(parts).to.have.length(17);
    expect(parts[0]).to.equal("99999");
  });
});
