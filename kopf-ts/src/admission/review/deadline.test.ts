import { expect } from "chai";
import { limitOf } from "./deadline.ts";

describe("limitOf", () => {
  for (const { timeout, limit } of [
    { timeout: "10s", limit: 9500 },
    { timeout: "30s", limit: 29_500 },
    { timeout: "1s", limit: 900 },
    { timeout: "1.5s", limit: 1350 },
    { timeout: "500ms", limit: 450 },
    { timeout: "0h0m10s", limit: 9500 },
    { timeout: "1m30s", limit: 29_500 },
    { timeout: "99999h", limit: 29_500 },
    { timeout: null, limit: 9500 },
    { timeout: "", limit: 9500 },
    { timeout: "0s", limit: 9500 },
    { timeout: "-3s", limit: 9500 },
    { timeout: "10", limit: 9500 },
    { timeout: "10s; drop", limit: 9500 },
  ]) {
    it(`is ${limit} ms for ${timeout}`, () => expect(limitOf(timeout)).to.equal(limit));
  }
});
