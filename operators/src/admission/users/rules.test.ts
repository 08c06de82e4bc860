import type { User } from "@drover/crds";
import { aUser, aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import { callerOf, deactivates, isLocal, newUsername, writeOnceProblem } from "./rules.ts";

const user = (fields: Partial<User>): User => {
  const { username: _, enabled: __, ...bare } = aUser({ metadata: { name: "u-a" } });
  return { ...bare, ...fields };
};

describe("fields of a user that are set once", () => {
  for (const { before, after, expected } of [
    { before: {}, after: { username: "ada" }, expected: undefined },
    { before: { username: "" }, after: { username: "ada" }, expected: undefined },
    {
      before: { username: "ada" },
      after: { username: "ada", displayName: "A" },
      expected: undefined,
    },
    {
      before: { username: "ada" },
      after: { username: "bob" },
      expected: "username must not be changed",
    },
    { before: { username: "ada" }, after: {}, expected: "username must not be changed" },
    { before: {}, after: { principalIds: [] }, expected: undefined },
    { before: { principalIds: ["a"] }, after: { principalIds: ["a"] }, expected: undefined },
    { before: {}, after: { principalIds: ["a"] }, expected: "principalIds must not be changed" },
    { before: { principalIds: ["a"] }, after: {}, expected: "principalIds must not be changed" },
    {
      before: { principalIds: ["a"] },
      after: { principalIds: ["a", "b"] },
      expected: "principalIds must not be changed",
    },
  ]) {
    it(`${JSON.stringify(before)} ${expected === undefined ? "may" : "must not"} become ${JSON.stringify(after)}`, () => {
      expect(writeOnceProblem(user(after), user(before))).to.equal(expected);
    });
  }
});

describe("newUsername", () => {
  for (const { before, after, expected } of [
    { before: undefined, after: { username: "ada" }, expected: "ada" },
    { before: undefined, after: {}, expected: undefined },
    { before: {}, after: { username: "ada" }, expected: "ada" },
    { before: { username: "ada" }, after: { username: "ada" }, expected: undefined },
    { before: { username: "ada" }, after: {}, expected: undefined },
  ]) {
    it(`of ${JSON.stringify(before)} becoming ${JSON.stringify(after)} is ${expected}`, () => {
      expect(newUsername(user(after), before && user(before))).to.equal(expected);
    });
  }
});

describe("deactivates", () => {
  for (const { before, after, expected } of [
    { before: undefined, after: false, expected: true },
    { before: true, after: false, expected: true },
    { before: false, after: false, expected: false },
    { before: false, after: true, expected: false },
    { before: true, after: undefined, expected: false },
  ]) {
    it(`is ${expected} when enabled goes from ${before} to ${after}`, () => {
      const of = (enabled: boolean | undefined): User =>
        user(enabled === undefined ? {} : { enabled });

      expect(deactivates(of(after), of(before))).to.equal(expected);
    });
  }
});

describe("isLocal", () => {
  for (const { fields, expected } of [
    { fields: { username: "ada" }, expected: true },
    { fields: { password: "$2a$10$" }, expected: true },
    { fields: { principalIds: ["github_user://1"] }, expected: false },
  ]) {
    it(`is ${expected} of ${JSON.stringify(fields)}`, () => {
      expect(isLocal(user(fields))).to.equal(expected);
    });
  }
});

describe("callerOf", () => {
  const everybody = ["system:authenticated", "system:cattle:authenticated"];

  it("has the groups of all providers, and those that everybody has", () => {
    const attribute = aUserAttribute({
      GroupPrincipals: {
        openldap: { Items: [{ metadata: { name: "openldap_group://a" } }, {}] },
        local: { Items: null },
      },
    });

    expect(callerOf(user({}), attribute)).to.deep.equal({
      username: "u-a",
      groups: ["openldap_group://a", ...everybody],
    });
  });

  it("has only those that everybody has before a first login", () => {
    for (const attribute of [undefined, aUserAttribute({ GroupPrincipals: null })])
      expect(callerOf(user({}), attribute).groups).to.deep.equal(everybody);
  });
});
