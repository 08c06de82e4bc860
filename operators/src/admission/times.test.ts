import { expect } from "chai";
import { durationProblem, timeProblem } from "./times.ts";

describe("timeProblem", () => {
  for (const text of [undefined, "", "2023-11-29T00:00:00Z", "2024-02-29T23:59:59.123+02:00"]) {
    it(`takes ${text}`, () => expect(timeProblem("lastLogin", text)).to.equal(undefined));
  }

  for (const text of [
    "now",
    "2023-11-29",
    "2023-02-30T00:00:00Z",
    "2023-11-29t00:00:00z",
    "2023-11-29 00:00:00Z",
  ]) {
    it(`refuses ${text} without repeating it`, () => {
      expect(timeProblem("lastLogin", text)).to.equal(
        "lastLogin must be a time in RFC 3339, such as 2023-11-29T00:00:00Z",
      );
    });
  }
});

describe("durationProblem", () => {
  for (const text of [undefined, "", "0", "240h", "1h30m", "-0"]) {
    it(`takes ${text}`, () => expect(durationProblem("deleteAfter", text)).to.equal(undefined));
  }

  for (const text of ["-1h", "10", "1d", "soon", "h"]) {
    it(`refuses ${text} without repeating it`, () => {
      expect(durationProblem("deleteAfter", text)).to.equal(
        "deleteAfter must be a duration that is not negative, such as 240h",
      );
    });
  }
});
