import { aSamlToken, aToken } from "@drover/crds/testing";
import { expect } from "chai";
import { PermanentError } from "kopf-ts";
import { fillingPatch, samlExpiry, shownUser } from "./desired.ts";

const label = "authn.management.cattle.io/token-userId";

describe("fillingPatch", () => {
  for (const { name, userId, labels, expected } of [
    { name: "none", userId: "u-abc", labels: {}, expected: { [label]: "u-abc" } },
    {
      name: "another user's",
      userId: "u-abc",
      labels: { [label]: "u-old" },
      expected: { [label]: "u-abc" },
    },
    { name: "its own", userId: "u-abc", labels: { [label]: "u-abc" }, expected: undefined },
    { name: "no user", userId: "", labels: {}, expected: undefined },
    { name: "a user too long", userId: "u".repeat(64), labels: {}, expected: undefined },
    { name: "a user that is no label", userId: "a/b", labels: {}, expected: undefined },
  ]) {
    it(`labels a token that has the label of ${name} ${expected ? "anew" : "not"}`, () => {
      const token = aToken({ userId, metadata: { uid: "1", labels } });

      const patch = fillingPatch(token, undefined);

      expect(patch).to.deep.equal(expected && { metadata: { uid: "1", labels: expected } });
    });
  }

  it("gives a date with the label, in one patch", () => {
    const token = aToken({ userId: "u-abc", metadata: { uid: "1", labels: {} } });

    expect(fillingPatch(token, Date.UTC(2030, 0, 1))).to.deep.equal({
      metadata: { uid: "1", labels: { [label]: "u-abc" } },
      expiresAt: "2030-01-01T00:00:00Z",
    });
  });

  it("leaves a date that is there", () => {
    const token = aToken({ expiresAt: "2020-01-01T00:00:00Z" });

    expect(fillingPatch(token, Date.UTC(2030, 0, 1))).to.equal(undefined);
  });
});

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
