import { expect } from "chai";
import { roleTemplateSubject } from "./role-template-subject.ts";

const apiGroup = "rbac.authorization.k8s.io";

describe("roleTemplateSubject", () => {
  for (const { name, binding, expected } of [
    {
      name: "a user",
      binding: { userName: "u-1", userPrincipalName: "local://u-1" },
      expected: { kind: "User", name: "u-1", apiGroup },
    },
    {
      name: "a group by principal",
      binding: { groupPrincipalName: "x_group://1" },
      expected: { kind: "Group", name: "x_group://1", apiGroup },
    },
    {
      name: "a group by name",
      binding: { groupName: "admins" },
      expected: { kind: "Group", name: "admins", apiGroup },
    },
    {
      name: "a service account",
      binding: { serviceAccount: "ns:robot" },
      expected: { kind: "ServiceAccount", name: "robot", namespace: "ns" },
    },
  ]) {
    it(`is ${name}`, () => expect(roleTemplateSubject(binding)).to.deep.equal(expected));
  }

  for (const { name, binding, expected } of [
    { name: "nobody", binding: {}, expected: "none" },
    { name: "empty names", binding: { userName: "", groupName: "" }, expected: "none" },
    {
      name: "a user whose name is not known yet",
      binding: { userPrincipalName: "x://1" },
      expected: "none",
    },
    {
      name: "a user and a group",
      binding: { userName: "u-1", groupName: "admins" },
      expected: "ambiguous",
    },
    {
      name: "two groups",
      binding: { groupPrincipalName: "a", groupName: "b" },
      expected: "ambiguous",
    },
    {
      name: "a user and a service account",
      binding: { userName: "u-1", serviceAccount: "ns:robot" },
      expected: "ambiguous",
    },
    {
      name: "an account without namespace",
      binding: { serviceAccount: "robot" },
      expected: "malformed",
    },
    { name: "an account without name", binding: { serviceAccount: "ns:" }, expected: "malformed" },
    {
      name: "an account in no namespace",
      binding: { serviceAccount: ":x" },
      expected: "malformed",
    },
  ]) {
    it(`is ${expected} for ${name}`, () => {
      expect(roleTemplateSubject(binding)).to.equal(expected);
    });
  }
});
