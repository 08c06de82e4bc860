import type { Setting, UserAttribute } from "@drover/crds";
import { aUser, aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import { liveSettings } from "../settings/index.ts";
import { type RetentionRules, retentionRules, retentionTimes } from "./retention.ts";

const hour = 3_600_000;
const login = "2026-01-01T00:00:00Z";
const start = Date.parse(login);
const both: RetentionRules = {
  disableAfter: 10 * hour,
  deleteAfter: 20 * hour,
  lastLoginDefault: undefined,
};

describe("case 90: retentionTimes", () => {
  const lastLogin = start;
  const [disableAt, deleteAt] = [start + 10 * hour, start + 20 * hour];
  const known = (fields: Partial<UserAttribute> = {}) =>
    aUserAttribute({ lastLogin: login, ...fields });

  for (const { name, user = {}, attribute, rules = {}, expected } of [
    {
      name: "count from the last login",
      attribute: known(),
      expected: { lastLogin, disableAt, deleteAt },
    },
    {
      name: "leave out what no setting asks for",
      attribute: known(),
      rules: { disableAfter: 0 },
      expected: { lastLogin, deleteAt },
    },
    {
      name: "are none of a user without attributes",
      attribute: undefined,
      rules: { lastLoginDefault: start },
      expected: {},
    },
    {
      name: "are none without a last login",
      attribute: aUserAttribute(),
      expected: {},
    },
    {
      name: "count from the default where no login is known",
      attribute: aUserAttribute(),
      rules: { lastLoginDefault: start },
      expected: { lastLogin, disableAt, deleteAt },
    },
    {
      name: "take Go's zero time for no login",
      attribute: aUserAttribute({ lastLogin: "0001-01-01T00:00:00Z" }),
      expected: {},
    },
    ...["0001-01-01T00:00:00.000Z", "0001-01-01T01:00:00+01:00", "1960-01-01T00:00:00Z"].map(
      (before) => ({
        name: `take ${before}, when nobody could log in, for no login`,
        attribute: aUserAttribute({ lastLogin: before }),
        rules: { lastLoginDefault: start },
        expected: { lastLogin, disableAt, deleteAt },
      }),
    ),
    ...["5", "2026-01-01", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z"].map((odd) => ({
      name: `are none for last login ${odd}, of which only JavaScript makes a time`,
      attribute: aUserAttribute({ lastLogin: odd }),
      expected: {},
    })),
    {
      name: "are none for a last login that cannot be read",
      attribute: aUserAttribute({ lastLogin: "yesterday" }),
      rules: { lastLoginDefault: start },
      expected: {},
    },
    {
      name: "follow the user's own lengths",
      attribute: known({ disableAfter: "1h30m", deleteAfter: "2h" }),
      expected: { lastLogin, disableAt: start + 1.5 * hour, deleteAt: start + 2 * hour },
    },
    {
      name: "exempt a user from one of them by 0",
      attribute: known({ disableAfter: "0s" }),
      expected: { lastLogin, deleteAt },
    },
    {
      name: "exempt a user by a negative length",
      attribute: known({ disableAfter: "-1h", deleteAfter: "0" }),
      expected: { lastLogin },
    },
    {
      name: "exempt a user whose length cannot be read",
      attribute: known({ disableAfter: "soon", deleteAfter: "14d" }),
      expected: { lastLogin },
    },
    {
      name: "take an empty length for none",
      attribute: known({ disableAfter: "", deleteAfter: "" }),
      expected: { lastLogin, disableAt, deleteAt },
    },
    {
      name: "do not follow the user's own where the setting is off",
      attribute: known({ disableAfter: "1h", deleteAfter: "1h" }),
      rules: { disableAfter: 0, deleteAfter: 0 },
      expected: { lastLogin },
    },
    {
      name: "exempt the default admin",
      user: { username: "admin" },
      attribute: known({ deleteAfter: "1h" }),
      expected: { lastLogin },
    },
    {
      name: "are none of a system account",
      user: { principalIds: ["local://u-x", "system://local"] },
      attribute: known(),
      expected: {},
    },
    {
      name: "are whole seconds",
      attribute: known({ lastLogin: "2026-01-01T00:00:00.9Z", disableAfter: "100ms" }),
      expected: { lastLogin: start + 900, disableAt: start + 1_000, deleteAt },
    },
  ]) {
    it(name, () => {
      expect(retentionTimes(aUser(user), attribute, { ...both, ...rules })).to.deep.equal(expected);
    });
  }
});

describe("retentionRules", () => {
  const rulesOf = (values: Readonly<Record<string, string>>, env = {}) => {
    const get = (name: string) => ({ value: values[name] ?? "" }) as Setting;
    return retentionRules(liveSettings({ get }, env));
  };

  for (const { name, values, env, expected } of [
    {
      name: "are off unless set",
      values: {},
      expected: { disableAfter: 0, deleteAfter: 0, lastLoginDefault: undefined },
    },
    {
      name: "are read from the settings",
      values: {
        "disable-inactive-user-after": "240h",
        "delete-inactive-user-after": "400h",
        "user-last-login-default": login,
      },
      expected: { disableAfter: 240 * hour, deleteAfter: 400 * hour, lastLoginDefault: start },
    },
    {
      name: "are off where they cannot be read",
      values: {
        "disable-inactive-user-after": "-1h",
        "delete-inactive-user-after": "a while",
        "user-last-login-default": "never",
      },
      expected: { disableAfter: 0, deleteAfter: 0, lastLoginDefault: undefined },
    },
    ...["5", "2026-01-01T00:00:00", "1960-01-01T00:00:00Z"].map((odd) => ({
      name: `know no last login for ${odd}`,
      values: {},
      env: { CATTLE_USER_LAST_LOGIN_DEFAULT: odd },
      expected: { disableAfter: 0, deleteAfter: 0, lastLoginDefault: undefined },
    })),
    {
      name: "follow the environment",
      values: { "disable-inactive-user-after": "240h" },
      env: { CATTLE_DISABLE_INACTIVE_USER_AFTER: "1h" },
      expected: { disableAfter: hour, deleteAfter: 0, lastLoginDefault: undefined },
    },
  ]) {
    it(name, () => expect(rulesOf(values, env)).to.deep.equal(expected));
  }
});
