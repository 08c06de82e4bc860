import { expect } from "chai";
import { globalRoleSubject } from "./global-role-subject.ts";

const apiGroup = "rbac.authorization.k8s.io";

describe("globalRoleSubject", () => {
  for (const { name, fields, expected } of [
    {
      name: "a user",
      fields: { userName: "u-1" },
      expected: { kind: "User", name: "u-1", apiGroup },
    },
    {
      name: "a user with a principal",
      fields: { userName: "u-1", userPrincipalName: "local://u-1" },
      expected: { kind: "User", name: "u-1", apiGroup },
    },
    {
      name: "a group",
      fields: { groupPrincipalName: "x_group://1" },
      expected: { kind: "Group", name: "x_group://1", apiGroup },
    },
    {
      name: "nobody for a principal alone",
      fields: { userPrincipalName: "x://1" },
      expected: undefined,
    },
    {
      name: "nobody for a principal and a group",
      fields: { userPrincipalName: "x://1", groupPrincipalName: "g" },
      expected: undefined,
    },
    { name: "nobody for nothing", fields: {}, expected: undefined },
  ]) {
    it(`is ${name}`, () => expect(globalRoleSubject(fields)).to.deep.equal(expected));
  }
});
