import { aToken } from "@drover/crds/testing";
import { extData } from "@drover/platform";
import { expect } from "chai";
import type { Secret } from "kopf-ts/kinds";
import { orphanedFrom, ownerOf, ownerOfExt } from "./desired.ts";

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

describe("orphanedFrom", () => {
  it("is five minutes after creation", () => {
    const token = aToken({ metadata: { creationTimestamp: "2026-01-01T00:00:00Z" } });

    expect(orphanedFrom(token)).to.equal(Date.parse("2026-01-01T00:05:00Z"));
  });
});
