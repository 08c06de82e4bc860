import type { User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { expect } from "chai";
import { userCalled, usersByUsername } from "./called.ts";
import { usersByPrincipal } from "./ensure.ts";

describe("userCalled", () => {
  const user = (name: string, username: string, more: Partial<User> = {}): User =>
    aUser({ metadata: { name }, username, principalIds: [`local://${name}`], ...more });
  const all = [
    user("u-1", "ada"),
    user("u-2", "u-1"),
    user("u-3", "twin"),
    user("u-4", "twin", { principalIds: ["local://u-4", "github_user://9"] }),
    user("u-5", "", { principalIds: [] }),
    user("u-6", "gone", {
      metadata: { name: "u-6", deletionTimestamp: "2026-01-01T00:00:00Z" },
      principalIds: ["github_user://9", "github_user://6"],
    }),
    user("u-7", "", { principalIds: ["local://u-8", "openldap_user://7"] }),
    user("u-8", "", { principalIds: ["local://u-8", "openldap_user://7"] }),
  ];
  const users = {
    get: (name: string) => all.find(({ metadata }) => metadata.name === name),
    byIndex: (index: string, value: string) => {
      const { of } = index === usersByUsername.name ? usersByUsername : usersByPrincipal;
      return all.filter((each) => of(each).includes(value));
    },
  };

  for (const [text, expected] of [
    ["u-1", "u-1"],
    ["ada", "u-1"],
    ["local://u-2", "u-2"],
    ["github_user://9", "u-4"],
    ["twin", undefined],
    ["github_user://8", undefined],
    ["local://u-5", "u-5"],
    ["local://u-8", "u-8"],
    ["openldap_user://7", undefined],
    ["u-6", undefined],
    ["local://u-6", undefined],
    ["github_user://6", undefined],
    ["nobody", undefined],
    ["gone", undefined],
    ["", undefined],
  ] as const) {
    it(`takes "${text}" for ${expected ?? "nobody"}`, () => {
      expect(userCalled(text, users)?.metadata.name).to.equal(expected);
    });
  }
});
