import { expect } from "chai";
import { sinceOf } from "./age.ts";

const now = Date.parse("2026-03-10T12:00:00Z");
const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const at = (time: number): string => new Date(time).toISOString();

describe("sinceOf", () => {
  for (const { text, length } of [
    { text: "0s", length: 0 },
    { text: "119s", length: 119 * second },
    { text: "5m30s", length: 5 * minute + 30 * second },
    { text: "5m", length: 5 * minute },
    { text: "179m", length: 179 * minute },
    { text: "3h5m", length: 3 * hour + 5 * minute },
    { text: "47h", length: 47 * hour },
    { text: "2d4h", length: 2 * day + 4 * hour },
    { text: "600d", length: 600 * day },
    { text: "3y20d", length: (3 * 365 + 20) * day },
    { text: "9y", length: 9 * 365 * day },
  ]) {
    it(`counts ${text} back`, () => {
      expect(sinceOf(text, now, "")).to.equal(now - length);
    });
  }

  for (const { text, created } of [
    { text: "5m30s", created: now - 5 * minute - 30_400 },
    { text: "179m", created: now - 179 * minute - 59_000 },
    { text: "3h5m", created: now - 3 * hour - 5 * minute - 59_000 },
    { text: "47h", created: now - 48 * hour + 1 },
    { text: "2d4h", created: now - 2 * day - 5 * hour + 1 },
    { text: "600d", created: now - 601 * day + 1 },
    { text: "3y20d", created: now - (3 * 365 + 21) * day + 1 },
    { text: "9y", created: now - 10 * 365 * day + 1 },
    { text: "0s", created: now + 3 * second },
  ]) {
    it(`takes ${text} for the age of what was created ${at(created)}`, () => {
      expect(sinceOf(text, now, at(created))).to.equal(created);
    });
  }

  for (const { text, created } of [
    { text: "5m30s", created: now - 6 * minute },
    { text: "5m30s", created: now - 5 * minute },
    { text: "179m", created: now - 181 * minute },
    { text: "2d4h", created: now - 2 * day },
  ]) {
    it(`does not take ${text} for the age of what was created ${at(created)}`, () => {
      expect(sinceOf(text, now, at(created))).to.not.equal(created);
    });
  }

  for (const text of [
    "",
    "<unknown>",
    "<invalid>",
    "-5s",
    "5",
    "m",
    "5m ",
    "5s4m",
    "Ready",
    "5M",
  ]) {
    it(`reads nothing in "${text}"`, () => {
      expect(sinceOf(text, now, at(now))).to.equal(undefined);
    });
  }
});
