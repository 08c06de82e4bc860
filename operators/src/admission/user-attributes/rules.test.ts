import { aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import { attributeProblem } from "./rules.ts";

const good = { lastLogin: "2024-01-01T00:00:00Z", disableAfter: "240h", deleteAfter: "0" };

describe("what decides a user's retention", () => {
  for (const { fields, field } of [
    { fields: { ...good, lastLogin: "yesterday" }, field: "lastLogin" },
    { fields: { ...good, disableAfter: "1 week" }, field: "disableAfter" },
    { fields: { ...good, deleteAfter: "-1h" }, field: "deleteAfter" },
  ]) {
    it(`must not have ${JSON.stringify(fields)}`, () => {
      expect(attributeProblem(aUserAttribute(fields))).to.match(new RegExp(`^${field} must be a `));
      expect(attributeProblem(aUserAttribute(fields), aUserAttribute(good))).to.contain(field);
    });

    it(`may keep a ${field} that is older than the rule`, () => {
      const before = aUserAttribute(fields);

      expect(attributeProblem({ ...before, NeedsRefresh: true }, before)).to.equal(undefined);
    });
  }

  it("may be given, and left out", () => {
    expect(attributeProblem(aUserAttribute(good))).to.equal(undefined);
    expect(attributeProblem(aUserAttribute(), aUserAttribute(good))).to.equal(undefined);
  });
});
