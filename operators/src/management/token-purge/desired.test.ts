import { aSamlToken } from "@drover/crds/testing";
import { expect } from "chai";
import { PermanentError } from "kopf-ts";
import { samlExpiry, shownUser } from "./desired.ts";

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

describe("samlExpiry", () => {
  it("is a quarter of an hour after creation, whatever expiresAt says", () => {
    const metadata = { name: "saml-x", creationTimestamp: "2026-01-01T00:00:00Z" };
    const token = aSamlToken({ metadata, expiresAt: "2030-01-01T00:00:00Z" });

    expect(samlExpiry(token)).to.equal(Date.parse("2026-01-01T00:15:00Z"));
  });

  it("refuses a token that never was created, for good", () => {
    expect(() => samlExpiry(aSamlToken())).to.throw(PermanentError, "is not a time");
  });
});
