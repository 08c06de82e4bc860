import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { passwordProblem } from "./rules.ts";

const tooShort = "password must be at least 12 characters";

describe("passwordProblem", () => {
  for (const { name, password, username, expected } of [
    { name: "takes the minimum", password: "x".repeat(12), expected: undefined },
    { name: "refuses one less", password: "x".repeat(11), expected: tooShort },
    { name: "refuses an empty one", password: "", expected: tooShort },
    {
      name: "counts a character beyond 16 bits once",
      password: "😀".repeat(11),
      expected: tooShort,
    },
    { name: "takes twelve of these", password: "😀".repeat(12), expected: undefined },
    { name: "counts a combining mark", password: "e\u0301".repeat(6), expected: undefined },
    { name: "counts spaces", password: " ".repeat(12), expected: undefined },
    {
      name: "refuses the username",
      password: "administrator",
      username: "administrator",
      expected: "password must not be the same as the username",
    },
    {
      name: "takes the username in other letters",
      password: "Administrator",
      username: "administrator",
      expected: undefined,
    },
    {
      name: "names the length first",
      password: "admin",
      username: "admin",
      expected: tooShort,
    },
  ]) {
    it(name, () => {
      expect(passwordProblem(password, { minimum: 12, username })).to.equal(expected);
    });
  }

  it("takes an empty password where the minimum is 0", () => {
    expect(passwordProblem("", { minimum: 0 })).to.equal(undefined);
  });

  it("never shows the password, and counts as Array.from does", () => {
    const random = seededRandom(77);
    for (let round = 0; round < 500; round += 1) {
      const units = Array.from({ length: random.below(16) }, () =>
        String.fromCharCode(0xd700 + random.below(0x500)),
      );
      const password = units.join("");
      const minimum = random.below(14);

      const problem = passwordProblem(password, { minimum });

      const told = `seed ${random.seed}, round ${round}`;
      expect(problem === undefined, told).to.equal(Array.from(password).length >= minimum);
      if (password !== "") expect(problem ?? "", told).not.to.contain(password);
    }
  });
});
