import type { Token } from "@drover/crds";
import { aToken } from "@drover/crds/testing";
import { expect } from "chai";
import { PermanentError } from "kopf-ts";
import { expiryOf, shownUser, toExpiresAt } from "./desired.ts";

const created = "2026-01-01T00:00:00Z";
const start = Date.parse(created);
const year = 365 * 24 * 3_600_000;

/** A token with any fields, also those that validation refuses. */
function tokenWith(fields: Readonly<Record<string, unknown>>, creationTimestamp?: string): Token {
  const token = aToken({
    metadata: { name: "token-x", creationTimestamp: creationTimestamp ?? created },
  });
  return { ...token, ttl: undefined, ...fields } as unknown as Token;
}

describe("expiryOf", () => {
  for (const { name, fields, expected } of [
    { name: "counts from creation", fields: { ttl: 90_000 }, expected: start + 90_000 },
    { name: "is to the millisecond", fields: { ttl: 1 }, expected: start + 1 },
    { name: "never comes at ttl 0", fields: { ttl: 0 }, expected: undefined },
    { name: "never comes at a negative ttl", fields: { ttl: -1 }, expected: undefined },
    { name: "never comes without ttl", fields: {}, expected: undefined },
    { name: "never comes at ttl null", fields: { ttl: null }, expected: undefined },
    {
      name: "is the same for a disabled token",
      fields: { ttl: 90_000, enabled: false },
      expected: start + 90_000,
    },
    {
      name: "does not depend on what expiresAt says",
      fields: { ttl: 90_000, expiresAt: "2020-01-01T00:00:00Z" },
      expected: start + 90_000,
    },
    {
      name: "does not depend on what expired says",
      fields: { ttl: 90_000, expired: true },
      expected: start + 90_000,
    },
    {
      name: "may be beyond 2^31 ms",
      fields: { ttl: 10 * year },
      expected: start + 10 * year,
    },
    {
      name: "never comes when it would be beyond the year 9999",
      fields: { ttl: 9_000 * year },
      expected: undefined,
    },
    {
      name: "never comes at the largest int64",
      fields: { ttl: Number("9223372036854775807") },
      expected: undefined,
    },
  ]) {
    it(name, () => expect(expiryOf(tokenWith(fields))).to.equal(expected));
  }

  for (const { name, fields, creationTimestamp, message } of [
    { name: "a text", fields: { ttl: "90000" }, message: "but is of type string" },
    { name: "a fraction", fields: { ttl: 0.5 }, message: "but is a fraction" },
    { name: "an object", fields: { ttl: {} }, message: "but is of type object" },
    { name: "a truth value", fields: { ttl: true }, message: "but is of type boolean" },
    {
      name: "a creation time that is none",
      fields: { ttl: 1 },
      creationTimestamp: "yesterday",
      message: "creationTimestamp is not a time",
    },
  ]) {
    it(`refuses ${name} for good`, () => {
      const token = tokenWith(fields, creationTimestamp);

      expect(() => expiryOf(token)).to.throw(PermanentError, message);
    });
  }

  it("shows no value in its refusal", () => {
    const token = tokenWith({ ttl: "kubeconfig-u-abc:s3cr3t", token: "s3cr3t" });

    expect(() => expiryOf(token))
      .to.throw(PermanentError)
      .with.property("message")
      .not.contain("s3cr3t");
  });
});

describe("toExpiresAt", () => {
  for (const { time, expected } of [
    { time: start, expected: "2026-01-01T00:00:00Z" },
    { time: start + 999, expected: "2026-01-01T00:00:00Z" },
    { time: Date.UTC(9999, 11, 31, 23, 59, 59, 999), expected: "9999-12-31T23:59:59Z" },
  ]) {
    it(`${time} is ${expected}`, () => expect(toExpiresAt(time)).to.equal(expected));
  }
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
