import { expect } from "chai";
import { type Failure, isTransient, parseRetryAfter, retryDelay } from "./retry.ts";

const refused: Failure = { code: 0, sent: false, transient: true, retryAfter: undefined };
const lost: Failure = { ...refused, sent: true };
const busy: Failure = { code: 429, sent: true, transient: false, retryAfter: 2_000 };
const broken: Failure = { ...busy, code: 503, retryAfter: undefined };

describe("retryDelay", () => {
  for (const { name, failure, attempt = 0, safe = true, expected } of [
    { name: "waits as long as a 429 asks", failure: busy, expected: 2_000 },
    { name: "repeats an unsafe request after a 429", failure: busy, safe: false, expected: 2_000 },
    {
      name: "grows when a 429 names no delay",
      failure: { ...busy, retryAfter: undefined },
      attempt: 1,
      expected: 300,
    },
    {
      name: "does not hammer a server that asks for 0 s",
      failure: { ...busy, retryAfter: 0 },
      expected: 150,
    },
    {
      name: "ends after 10 repetitions that were asked for",
      failure: busy,
      attempt: 10,
      expected: undefined,
    },
    { name: "repeats a 503", failure: broken, expected: 150 },
    { name: "waits as long as a 503 asks", failure: { ...broken, retryAfter: 700 }, expected: 700 },
    {
      name: "does not repeat an unsafe request after a 503",
      failure: broken,
      safe: false,
      expected: undefined,
    },
    {
      name: "repeats an unsafe request after a 503 that names a delay, since it was turned away",
      failure: { ...broken, retryAfter: 700 },
      safe: false,
      expected: 700,
    },
    ...[500, 502, 504].map((code) => ({
      name: `does not repeat an unsafe request after a ${code}, whatever delay it names`,
      failure: { ...broken, code, retryAfter: 700 },
      safe: false,
      expected: undefined,
    })),
    {
      name: "ends after 4 repetitions of its own",
      failure: broken,
      attempt: 4,
      expected: undefined,
    },
    { name: "does not repeat a 501", failure: { ...broken, code: 501 }, expected: undefined },
    { name: "does not repeat a 404", failure: { ...broken, code: 404 }, expected: undefined },
    { name: "does not repeat a 409", failure: { ...broken, code: 409 }, expected: undefined },
    { name: "repeats at once when a kept connection was lost", failure: lost, expected: 0 },
    { name: "waits before the second repetition", failure: lost, attempt: 1, expected: 300 },
    {
      name: "never repeats an unsafe request that was sent",
      failure: lost,
      safe: false,
      expected: undefined,
    },
    {
      name: "repeats an unsafe request that was never sent",
      failure: refused,
      safe: false,
      expected: 150,
    },
    {
      name: "gives up on what does not pass",
      failure: { ...refused, transient: false },
      expected: undefined,
    },
  ]) {
    it(name, () => expect(retryDelay(failure, attempt, safe, () => 0.5)).to.equal(expected));
  }
});

describe("parseRetryAfter", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  for (const { name, value, expected } of [
    { name: "reads seconds", value: "3", expected: 3_000 },
    { name: "reads seconds with blanks", value: " 0 ", expected: 0 },
    { name: "reads a date", value: "Thu, 01 Jan 2026 00:00:05 GMT", expected: 5_000 },
    {
      name: "takes a date in the past as now",
      value: "Thu, 01 Jan 2025 00:00:05 GMT",
      expected: 0,
    },
    { name: "takes days as 5 minutes", value: "864000", expected: 300_000 },
    { name: "takes endless seconds as 5 minutes", value: "9".repeat(400), expected: 300_000 },
    {
      name: "takes next year as 5 minutes",
      value: "Fri, 01 Jan 2027 00:00:05 GMT",
      expected: 300_000,
    },
    { name: "knows nothing without a header", value: undefined, expected: undefined },
    { name: "knows nothing from nonsense", value: "soon", expected: undefined },
  ]) {
    it(name, () => expect(parseRetryAfter(value, now)).to.equal(expected));
  }
});

describe("isTransient", () => {
  const coded = (code: string): Error => Object.assign(new Error("x"), { code });
  for (const { cause, expected } of [
    { cause: coded("ECONNREFUSED"), expected: true },
    { cause: coded("ECONNRESET"), expected: true },
    { cause: coded("UND_ERR_SOCKET"), expected: true },
    { cause: coded("CERT_HAS_EXPIRED"), expected: false },
    { cause: coded("ENOTFOUND"), expected: false },
    { cause: new Error("x"), expected: false },
    { cause: "x", expected: false },
  ]) {
    it(`${String(Object(cause).code ?? cause)}: ${expected}`, () =>
      expect(isTransient(cause)).to.equal(expected));
  }
});
