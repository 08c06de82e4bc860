import { expect } from "chai";
import { nextCronTime } from "./cron.ts";

const after = Date.parse("2026-01-31T10:20:30.500Z"); // a Saturday

describe("nextCronTime", () => {
  for (const { expression, expected } of [
    { expression: "0 0 * * *", expected: "2026-02-01T00:00:00.000Z" },
    { expression: " 0 0 * * * ", expected: "2026-02-01T00:00:00.000Z" },
    { expression: "*/5 * * * *", expected: "2026-01-31T10:25:00.000Z" },
    { expression: "5/15 * * * *", expected: "2026-01-31T10:35:00.000Z" },
    { expression: "20 10 31 1 *", expected: "2027-01-31T10:20:00.000Z" },
    { expression: "21 10 31 1 *", expected: "2026-01-31T10:21:00.000Z" },
    { expression: "0 0 * * Mon", expected: "2026-02-02T00:00:00.000Z" },
    { expression: "0 0 * mar-apr ?", expected: "2026-03-01T00:00:00.000Z" },
    { expression: "0 0 10 * 1", expected: "2026-02-02T00:00:00.000Z" }, // day 10 or a Monday
    { expression: "0 0 29 2 *", expected: "2028-02-29T00:00:00.000Z" },
    { expression: "@hourly", expected: "2026-01-31T11:00:00.000Z" },
    { expression: "@yearly", expected: "2027-01-01T00:00:00.000Z" },
    { expression: "@every 90m", expected: "2026-01-31T11:50:30.500Z" },
    { expression: "@every 1ns", expected: "2026-01-31T10:20:31.500Z" },
  ]) {
    it(`finds ${expression}`, () => {
      const found = nextCronTime(expression, after);
      expect(found === undefined ? undefined : new Date(found).toISOString()).to.equal(expected);
    });
  }

  for (const expression of [
    "",
    "0 0 30 2 *",
    "0 0 * *",
    "0 0 0 * * *",
    "60 * * * *",
    "0 0 L * *",
    "@every 0s",
    "@every -1h",
    "never",
  ]) {
    it(`finds nothing in "${expression}"`, () => {
      expect(nextCronTime(expression, after)).to.equal(undefined);
    });
  }

  it("moves on from each time that it gave", () => {
    const times: string[] = [];
    for (let time = after; times.length < 3; ) {
      time = nextCronTime("30 1 * * 0", time) ?? Number.NaN;
      times.push(new Date(time).toISOString().slice(0, 16));
    }

    expect(times).to.deep.equal(["2026-02-01T01:30", "2026-02-08T01:30", "2026-02-15T01:30"]);
  });
});
