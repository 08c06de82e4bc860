import { expect } from "chai";
import { ApiError } from "../kube/index.ts";
import { judge, streamedError, type Verdict, WatchFailure } from "./failure.ts";

function apiError(init: Partial<ConstructorParameters<typeof ApiError>[0]>): ApiError {
  return new ApiError({ message: "m", code: 0, reason: "R", method: "GET", path: "/", ...init });
}

const tooLarge = apiError({
  code: 504,
  reason: "Timeout",
  status: { details: { causes: [{ reason: "ResourceVersionTooLarge" }] } },
});

describe("judge", () => {
  for (const { what, thrown, expected } of [
    {
      what: "no connection",
      thrown: apiError({ reason: "Unreachable" }),
      expected: { wait: "backoff", position: "question", passing: true, blamesStream: false },
    },
    {
      what: "no answer in time",
      thrown: apiError({ reason: "Timeout" }),
      expected: { wait: "backoff", blamesStream: true, passing: false },
    },
    {
      what: "a certificate nobody trusts",
      thrown: apiError({ reason: "Untrusted" }),
      expected: { wait: "backoff", passing: false },
    },
    {
      what: "400",
      thrown: apiError({ code: 400 }),
      expected: { position: "doubt", blamesStream: true, wait: "backoff" },
    },
    {
      what: "422",
      thrown: apiError({ code: 422 }),
      expected: { position: "doubt", blamesStream: true },
    },
    {
      what: "401",
      thrown: apiError({ code: 401 }),
      expected: { wait: "backoff", position: "keep" },
    },
    { what: "403", thrown: apiError({ code: 403 }), expected: { wait: "slow", position: "keep" } },
    { what: "404", thrown: apiError({ code: 404 }), expected: { wait: "slow", position: "doubt" } },
    { what: "405", thrown: apiError({ code: 405 }), expected: { wait: "slow", position: "doubt" } },
    {
      what: "410",
      thrown: apiError({ code: 410 }),
      expected: { position: "expire", wait: "backoff", passing: true },
    },
    {
      what: "429",
      thrown: apiError({ code: 429, retryAfter: 2_000 }),
      expected: { wait: 2_000, position: "keep" },
    },
    {
      what: "a wait that is no time",
      thrown: apiError({ code: 503, retryAfter: Number.NaN }),
      expected: { wait: "backoff" },
    },
    {
      what: "a wait into the past",
      thrown: apiError({ code: 503, retryAfter: -1_000 }),
      expected: { wait: "backoff" },
    },
    {
      what: "a client that was disposed",
      thrown: apiError({ reason: "Closed" }),
      expected: { reason: "Closed", wait: "never", passing: false },
    },
    {
      what: "429 that asks for nothing",
      thrown: apiError({ code: 429 }),
      expected: { wait: "backoff" },
    },
    {
      what: "503 with Retry-After",
      thrown: apiError({ code: 503, retryAfter: 5_000 }),
      expected: { wait: 5_000 },
    },
    {
      what: "500",
      thrown: apiError({ code: 500 }),
      expected: { wait: "backoff", position: "question", passing: false },
    },
    {
      what: "a version the server has not reached",
      thrown: tooLarge,
      expected: { position: "expire", reason: "Timeout", blamesStream: false },
    },
    {
      what: "504 otherwise",
      thrown: apiError({ code: 504 }),
      expected: { position: "question", blamesStream: false },
    },
    {
      what: "a list without an end",
      thrown: new WatchFailure("NoInitialEnd", "m"),
      expected: { reason: "Stalled", blamesStream: true },
    },
    {
      what: "a list that broke off",
      thrown: new WatchFailure("ListBroken", "m"),
      expected: { reason: "ListBroken", blamesStream: false, passing: false },
    },
    {
      what: "silence",
      thrown: new WatchFailure("Stalled", "m"),
      expected: { reason: "Stalled", position: "question", passing: true, blamesStream: false },
    },
    {
      what: "a server that was restored from a backup",
      thrown: new WatchFailure("Restored", "m"),
      expected: { reason: "Restored", position: "expire", wait: "backoff", passing: false },
    },
    {
      what: "a watch that ended at once",
      thrown: new WatchFailure("ShortWatch", "m"),
      expected: { reason: "ShortWatch", position: "keep", passing: true },
    },
    {
      what: "half a line",
      thrown: new SyntaxError("m"),
      expected: { reason: "BadAnswer", position: "question", passing: true },
    },
    {
      what: "an object above the limit",
      thrown: new RangeError("m"),
      expected: { reason: "BadAnswer", position: "question" },
    },
  ] satisfies readonly { what: string; thrown: Error; expected: Partial<Verdict> }[]) {
    it(`knows what to do about ${what}`, () => {
      expect(judge(thrown)).to.deep.include({ message: "m", ...expected });
    });
  }
});

it("judges even what cannot be told", () => {
  const thrown = new Error("m");
  Object.defineProperty(thrown, "message", {
    get: () => {
      throw new Error("no message");
    },
  });

  expect(judge(thrown)).to.include({ reason: "BadAnswer", wait: "backoff" });
});

describe("streamedError", () => {
  for (const { what, value, expected } of [
    {
      what: "a Status",
      value: { code: 500, reason: "InternalError", message: "no" },
      expected: {
        code: 500,
        reason: "InternalError",
        message: "watch /p: no",
        retryAfter: undefined,
      },
    },
    {
      what: "expired by reason alone",
      value: { reason: "Expired" },
      expected: { code: 410, reason: "Expired" },
    },
    { what: "gone by reason alone", value: { reason: "Gone", code: 500 }, expected: { code: 410 } },
    {
      what: "a wait in seconds",
      value: { code: 429, details: { retryAfterSeconds: 3 } },
      expected: { code: 429, retryAfter: 3_000 },
    },
    {
      what: "a wait that is none",
      value: { kind: "Status", code: 429, details: { retryAfterSeconds: -1, causes: {} } },
      expected: { code: 429, retryAfter: undefined },
    },
    {
      what: "fields of wrong types",
      value: { kind: "Status", code: "500", reason: 1, message: {}, details: { causes: [null] } },
      expected: { code: 500, reason: "InternalError" },
    },
    { what: "nothing at all", value: null, expected: { code: 500, reason: "InternalError" } },
  ]) {
    it(`reads ${what}`, () => {
      expect(streamedError(value, "/p")).to.include(expected);
    });
  }
});
