import type { User, UserAttribute } from "@drover/crds";
import { aUser, aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import { actionFor } from "./desired.ts";
import { Tally } from "./tally.ts";

const login = "2026-01-01T00:00:00Z";
const start = Date.parse(login);
const hour = 3_600_000;
const rules = { disableAfter: 10 * hour, deleteAfter: 20 * hour, lastLoginDefault: undefined };

interface Case {
  readonly name: string;
  readonly user?: Partial<User>;
  readonly attribute?: Partial<UserAttribute> | "none";
  readonly rules?: Partial<typeof rules> | { readonly lastLoginDefault: number };
  /** Hours since the login. */
  readonly after: number;
  readonly expected: "disable" | "delete" | undefined;
}

const cases: readonly Case[] = [
  { name: "nothing while the user is active", after: 9, expected: undefined },
  { name: "nothing at the very instant", after: 10, expected: undefined },
  { name: "disable once it is inactive", after: 10.001, expected: "disable" },
  { name: "nothing twice", user: { enabled: false }, after: 11, expected: undefined },
  { name: "delete once it is inactive for longer", after: 21, expected: "delete" },
  {
    name: "delete also who is disabled",
    user: { enabled: false },
    after: 21,
    expected: "delete",
  },
  { name: "only disable", rules: { deleteAfter: 0 }, after: 1_000, expected: "disable" },
  { name: "only delete", rules: { disableAfter: 0 }, after: 11, expected: undefined },
  {
    name: "delete at once where that comes first",
    rules: { deleteAfter: 5 * hour },
    after: 6,
    expected: "delete",
  },
  { name: "nothing without attributes", attribute: "none", after: 1_000, expected: undefined },
  { name: "nothing without a login", attribute: {}, after: 1_000, expected: undefined },
  {
    name: "delete by the default of logins",
    attribute: {},
    rules: { lastLoginDefault: start },
    after: 21,
    expected: "delete",
  },
  {
    name: "disable later by the user's own length",
    attribute: { lastLogin: login, disableAfter: "15h" },
    after: 14,
    expected: undefined,
  },
  {
    name: "delete earlier by the user's own length",
    attribute: { lastLogin: login, deleteAfter: "1h" },
    after: 2,
    expected: "delete",
  },
  {
    name: "disable who is exempt from deletion",
    attribute: { lastLogin: login, deleteAfter: "0s" },
    after: 1_000,
    expected: "disable",
  },
  {
    name: "nothing for who is exempt from both",
    attribute: { lastLogin: login, deleteAfter: "0s", disableAfter: "0" },
    after: 1_000,
    expected: undefined,
  },
  {
    name: "nothing for the default admin",
    user: { username: "admin" },
    after: 1_000,
    expected: undefined,
  },
  {
    name: "nothing for a system account",
    user: { principalIds: ["system://c-abc"] },
    after: 1_000,
    expected: undefined,
  },
];

describe("case 90: actionFor", () => {
  for (const { name, user, attribute = { lastLogin: login }, after, expected, ...more } of cases) {
    it(`does ${name}`, () => {
      const known = attribute === "none" ? undefined : aUserAttribute(attribute);
      const now = start + after * hour;
      expect(actionFor(aUser(user), known, { ...rules, ...more.rules }, now)).to.equal(expected);
    });
  }

  it("does nothing to a user that is being deleted", () => {
    const user = aUser({ metadata: { deletionTimestamp: login } });
    const attribute = aUserAttribute({ lastLogin: login });
    expect(actionFor(user, attribute, rules, start + 1_000 * hour)).to.equal(undefined);
  });
});

describe("Tally", () => {
  it("counts, and begins anew when it is taken", () => {
    const tally = new Tally();
    for (const result of ["disable", "delete", "delete", "failed", undefined] as const) {
      tally.add(result);
    }

    expect(tally.take()).to.deep.equal({ users: 5, disabled: 1, deleted: 2, failed: 1 });
    expect(tally.take()).to.deep.equal({ users: 0, disabled: 0, deleted: 0, failed: 0 });
  });
});
