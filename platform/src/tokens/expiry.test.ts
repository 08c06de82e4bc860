import type { Token } from "@drover/crds";
import { aToken } from "@drover/crds/testing";
import { expect } from "chai";
import { PermanentError } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { extTokenExpiry, fromTimestamp, tokenExpiry, toTimestamp } from "./expiry.ts";
import { extData } from "./ext-secret.ts";

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

describe("tokenExpiry", () => {
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
    it(name, () => expect(tokenExpiry(tokenWith(fields))).to.equal(expected));
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

      expect(() => tokenExpiry(token)).to.throw(PermanentError, message);
    });
  }

  it("shows no value in its refusal", () => {
    const token = tokenWith({ ttl: "kubeconfig-u-abc:s3cr3t", token: "s3cr3t" });

    expect(() => tokenExpiry(token))
      .to.throw(PermanentError)
      .with.property("message")
      .not.contain("s3cr3t");
  });
});

describe("toTimestamp", () => {
  for (const { time, expected } of [
    { time: start, expected: "2026-01-01T00:00:00Z" },
    { time: start + 999, expected: "2026-01-01T00:00:00Z" },
    { time: Date.UTC(9999, 11, 31, 23, 59, 59, 999), expected: "9999-12-31T23:59:59Z" },
  ]) {
    it(`${time} is ${expected}`, () => expect(toTimestamp(time)).to.equal(expected));
  }
});

describe("fromTimestamp", () => {
  for (const { text, expected } of [
    { text: "2026-01-01T00:00:00Z", expected: start },
    { text: "2026-01-01T01:00:00+01:00", expected: start },
    { text: "", expected: undefined },
    { text: "yesterday", expected: undefined },
    { text: undefined, expected: undefined },
    { text: 7, expected: undefined },
  ]) {
    it(`reads ${text}`, () => expect(fromTimestamp(text)).to.equal(expected));
  }
});

describe("extTokenExpiry", () => {
  const secret = (ttl: string, creationTimestamp = created): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "token-x", namespace: "cattle-tokens", creationTimestamp },
    data: extData({ ttl }),
  });

  for (const { name, ttl, expected } of [
    { name: "counts from creation", ttl: "90000", expected: start + 90_000 },
    { name: "is over at once at ttl 0", ttl: "0", expected: start },
    { name: "never comes at a negative ttl", ttl: "-1", expected: undefined },
    { name: "never comes at the largest int64", ttl: "9223372036854775807", expected: undefined },
  ]) {
    it(name, () => expect(extTokenExpiry(secret(ttl))).to.equal(expected));
  }

  for (const ttl of ["", "s3cr3t", "1.5", " 1", "1e3", "99999999999999999999"]) {
    it(`refuses "${ttl}" for good, without showing it`, () => {
      expect(() => extTokenExpiry(secret(ttl)))
        .to.throw(PermanentError, "ext token token-x: ttl is not whole milliseconds")
        .with.property("message")
        .not.contain("s3cr3t");
    });
  }

  it("refuses a creation time that is none", () => {
    expect(() => extTokenExpiry(secret("1", "yesterday"))).to.throw(PermanentError, "no start");
  });
});
