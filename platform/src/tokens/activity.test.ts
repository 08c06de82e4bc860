import { expect } from "chai";
import { activityOutcome, sessionEnd } from "./activity.ts";
import { aSession, hour, start } from "./testing/samples.ts";

const minute = 60_000;
const userId = "user-abcde";
const seen = "2026-01-01T00:10:00Z";

describe("activityOutcome", () => {
  const now = start + 30 * minute + 400;
  const activity = { userId, now, idleTtl: hour };

  for (const { name, token, change, expected } of [
    { name: "moves to now", token: {}, change: {}, expected: { seenAt: start + 30 * minute } },
    {
      name: "moves to the time told, in whole seconds",
      token: { activityLastSeenAt: seen },
      change: { seenAt: start + 20 * minute + 999 },
      expected: { seenAt: start + 20 * minute },
    },
    {
      name: "passes over a time in the future",
      token: {},
      change: { seenAt: now + 1 },
      expected: {},
    },
    {
      name: "passes over a time before the stored one",
      token: { activityLastSeenAt: seen },
      change: { seenAt: start + 9 * minute },
      expected: {},
    },
    {
      name: "passes over the stored time",
      token: { activityLastSeenAt: seen },
      change: { seenAt: start + 10 * minute },
      expected: {},
    },
    {
      name: "refuses another user",
      token: {},
      change: { userId: "eve" },
      expected: { refused: "foreign" },
    },
    {
      name: "refuses a derived token",
      token: { isDerived: true },
      change: {},
      expected: { refused: "not-a-session" },
    },
    {
      name: "refuses a disabled session",
      token: { enabled: false },
      change: {},
      expected: { refused: "disabled" },
    },
    {
      name: "refuses an expired session",
      token: {},
      change: { now: start + hour },
      expected: { refused: "expired" },
    },
    {
      name: "does not revive an idle session, whatever time is told",
      token: { activityLastSeenAt: seen },
      change: { idleTtl: 20 * minute, seenAt: start + 15 * minute },
      expected: { refused: "idle" },
    },
    {
      name: "keeps a session that is nearly idle",
      token: { activityLastSeenAt: seen },
      change: { idleTtl: 21 * minute },
      expected: { seenAt: start + 30 * minute },
    },
  ]) {
    it(name, () =>
      expect(activityOutcome(aSession(token), { ...activity, ...change })).to.deep.equal(expected),
    );
  }
});

describe("sessionEnd", () => {
  for (const { name, token, idleTtl, expected } of [
    { name: "its own end", token: {}, idleTtl: minute, expected: start + hour },
    {
      name: "the end of its idleness",
      token: { activityLastSeenAt: seen },
      idleTtl: minute,
      expected: start + 11 * minute,
    },
    {
      name: "the earlier of both",
      token: { activityLastSeenAt: seen },
      idleTtl: 9 * hour,
      expected: start + hour,
    },
    {
      name: "of one without end",
      token: { ttl: 0, activityLastSeenAt: seen },
      idleTtl: minute,
      expected: start + 11 * minute,
    },
    {
      name: "without limits",
      token: { ttl: 0, activityLastSeenAt: seen },
      idleTtl: 0,
      expected: undefined,
    },
  ]) {
    it(`is ${name}`, () => expect(sessionEnd(aSession(token), idleTtl)).to.equal(expected));
  }
});
