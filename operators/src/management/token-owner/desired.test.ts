import { aToken } from "@drover/crds/testing";
import { extData } from "@drover/platform";
import { expect } from "chai";
import type { Secret } from "kopf-ts/kinds";
import { missingLabels, orphanedFrom, ownerOf, ownerOfExt } from "./desired.ts";

const label = "authn.management.cattle.io/token-userId";

describe("ownerOf", () => {
  for (const { userId, expected } of [
    { userId: "u-abc", expected: "u-abc" },
    { userId: "", expected: undefined },
    { userId: undefined, expected: undefined },
    { userId: 7, expected: undefined },
  ]) {
    it(`of a token of user ${userId} is ${expected}`, () =>
      expect(ownerOf({ userId })).to.equal(expected));
  }
});

describe("ownerOfExt", () => {
  const secret = (data: Readonly<Record<string, string>>): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "token-x" },
    data,
  });

  it("is what the data says", () => {
    expect(ownerOfExt(secret(extData({ "user-id": "u-abc" })))).to.equal("u-abc");
    expect(ownerOfExt(secret({}))).to.equal(undefined);
  });
});

describe("missingLabels", () => {
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
    it(`of a token with ${name}`, () => {
      const token = aToken({ userId, metadata: { labels } });

      expect(missingLabels(token)).to.deep.equal(expected);
    });
  }
});

describe("orphanedFrom", () => {
  it("is five minutes after creation", () => {
    const token = aToken({ metadata: { creationTimestamp: "2026-01-01T00:00:00Z" } });

    expect(orphanedFrom(token)).to.equal(Date.parse("2026-01-01T00:05:00Z"));
  });
});
