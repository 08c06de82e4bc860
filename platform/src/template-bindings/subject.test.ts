import type { GlobalRole, RoleTemplateSubjects, User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { expect } from "chai";
import type { Cache, Client } from "kopf-ts";
import { noUserMessage } from "../users/index.ts";
import { resolveTemplateSubject } from "./subject.ts";

const apiGroup = "rbac.authorization.k8s.io";
const ada = aUser({ metadata: { name: "u-ada" }, principalIds: ["x://1", "local://u-ada"] });
const bob = aUser({ metadata: { name: "u-bob" }, principalIds: [] });
const leaving = aUser({ metadata: { name: "u-eve", deletionTimestamp: "2026-01-01T00:00:00Z" } });

const late = aUser({ metadata: { name: "u-late" }, principalIds: ["local://u-late"] });

/** Caches with these three users, and a client that knows one more and can do nothing else. */
const sources = {
  client: {
    list: () => Promise.reject(new Error("no answer")),
    find: (_: unknown, name: string) => Promise.resolve(name === "u-late" ? late : undefined),
  } as unknown as Client,
  users: {
    get: (name: string) => [ada, bob, leaving].find(({ metadata }) => metadata.name === name),
    byIndex: (_: string, principal: string) =>
      [ada, bob].filter(({ principalIds }) => principalIds?.includes(principal)),
  } as unknown as Cache<User>,
  globalRoles: { keysByIndex: () => [] } as unknown as Cache<GlobalRole>,
};
const resolve = (fields: RoleTemplateSubjects) =>
  resolveTemplateSubject({ metadata: { name: "binding" }, ...fields }, sources);
const user = (name: string) => ({ kind: "User", name, apiGroup });

describe("resolveTemplateSubject", () => {
  for (const { name, fields, expected } of [
    {
      name: "nothing for a user with both names",
      fields: { userName: "u-ada", userPrincipalName: "x://1" },
      expected: { fields: {}, subject: user("u-ada") },
    },
    {
      name: "the principal that ends with the user's name",
      fields: { userName: "u-ada" },
      expected: { fields: { userPrincipalName: "local://u-ada" }, subject: user("u-ada") },
    },
    {
      name: "the local principal of a user that has none yet",
      fields: { userName: "u-bob" },
      expected: { fields: { userPrincipalName: "local://u-bob" }, subject: user("u-bob") },
    },
    {
      name: "the principal of a user whom the cache does not show yet",
      fields: { userName: "u-late" },
      expected: { fields: { userPrincipalName: "local://u-late" }, subject: user("u-late") },
    },
    {
      name: "the user of a principal",
      fields: { userPrincipalName: "x://1" },
      expected: { fields: { userName: "u-ada" }, subject: user("u-ada") },
    },
    {
      name: "nothing for a group",
      fields: { groupPrincipalName: "x_group://1" },
      expected: { fields: {}, subject: { kind: "Group", name: "x_group://1", apiGroup } },
    },
  ]) {
    it(`fills in ${name}`, async () => {
      expect(await resolve(fields)).to.deep.equal(expected);
    });
  }

  for (const { name, fields, reason } of [
    { name: "nobody", fields: {}, reason: "NoSubject" },
    {
      name: "a principal and a group",
      fields: { userPrincipalName: "x://1", groupName: "g" },
      reason: "AmbiguousSubject",
    },
    {
      name: "a user and a group",
      fields: { userName: "u-ada", groupName: "g" },
      reason: "AmbiguousSubject",
    },
    { name: "no account", fields: { serviceAccount: "robot" }, reason: "MalformedSubject" },
  ]) {
    it(`binds nobody for ${name}, and makes no user`, async () => {
      const { subject, fields: filled, obstacle } = await resolve(fields);

      expect([subject, filled, obstacle?.reason]).to.deep.equal([undefined, {}, reason]);
      expect(obstacle?.error).to.equal(undefined);
    });
  }

  for (const userName of ["u-eve", "u-nobody"]) {
    it(`binds the name ${userName}, of which there is no user that lasts, and says so`, async () => {
      const { subject, fields, obstacle } = await resolve({ userName });

      expect([subject, fields]).to.deep.equal([user(userName), {}]);
      expect(obstacle).to.deep.equal({ reason: "UserNotFound", message: noUserMessage(userName) });
    });
  }

  it("tells why the user of a principal cannot be made, and asks for another run", async () => {
    const { subject, obstacle } = await resolve({ userPrincipalName: "x://2" });

    expect(subject).to.equal(undefined);
    expect(obstacle).to.include({ reason: "FailedToEnsureUser", message: "no answer" });
    expect(obstacle?.error?.message).to.equal("no answer");
  });
});
