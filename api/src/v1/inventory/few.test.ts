import { expect } from "chai";
import { type Few, membersOf, withMember, withoutMember } from "./few.ts";

describe("few members", () => {
  const few = (...members: readonly string[]): Few<string> =>
    members.reduce<Few<string>>(withMember, undefined);

  for (const { name, made, expected } of [
    { name: "none", made: few(), expected: [] },
    { name: "one", made: few("a"), expected: ["a"] },
    { name: "one that was added twice", made: few("a", "a"), expected: ["a"] },
    { name: "several", made: few("a", "b", "c", "b"), expected: ["a", "b", "c"] },
    { name: "one less", made: withoutMember(few("a", "b"), "a"), expected: ["b"] },
    { name: "none any more", made: withoutMember(few("a"), "a"), expected: [] },
    {
      name: "none of several any more",
      made: withoutMember(withoutMember(few("a", "b"), "a"), "b"),
      expected: [],
    },
    { name: "one, without another", made: withoutMember(few("a"), "b"), expected: ["a"] },
  ]) {
    it(`are ${name}`, () => {
      expect([...membersOf(made)]).to.deep.equal(expected);
    });
  }
});
