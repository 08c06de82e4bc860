import { expect } from "chai";
import { shownUser } from "./desired.ts";

describe("shownUser", () => {
  for (const { name, userId, expected } of [
    { name: "an id", userId: "user-ada", expected: "user-ada" },
    { name: "nothing", userId: undefined, expected: undefined },
    { name: "an empty text", userId: "", expected: undefined },
    { name: "an object", userId: { a: 1 }, expected: undefined },
    { name: "a number", userId: 7, expected: undefined },
    { name: "128 characters", userId: "u".repeat(128), expected: "u".repeat(128) },
    { name: "more of them", userId: "u".repeat(100_000), expected: `${"u".repeat(128)}...` },
    {
      name: "no half of one",
      userId: "\u{1f600}".repeat(200),
      expected: `${"\u{1f600}".repeat(128)}...`,
    },
    { name: "what turns writing around", userId: "a\u202eb\nc", expected: "a\\u202eb\\nc" },
  ]) {
    it(`shows ${name}`, () => expect(shownUser({ userId })).to.equal(expected));
  }
});
