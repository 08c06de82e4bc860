import { aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { expect } from "chai";
import { adminBinding, annotated, isRanchers } from "./desired.ts";
import { annotations } from "./names.ts";

const apiGroup = "rbac.authorization.k8s.io";
const admin = aGlobalRole({
  metadata: { name: "admin" },
  rules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
});
const binding = (fields: object = { userName: "u-ada" }) =>
  aGlobalRoleBinding({
    metadata: { name: "grb-1" },
    globalRoleName: "admin",
    userName: "",
    ...fields,
  });

describe("adminBinding", () => {
  it("case 74: grants cluster-admin to the user", () => {
    expect(adminBinding(binding(), admin)).to.deep.equal({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "globaladmin-u-ada" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "User", name: "u-ada", apiGroup }],
    });
  });

  it("is named by a hash for a group", () => {
    const made = adminBinding(binding({ groupPrincipalName: "github_user://1234" }), admin);

    expect(made?.metadata.name).to.equal("globaladmin-u-6vf4mrvv7e");
    expect(made?.subjects?.[0]?.kind).to.equal("Group");
  });

  for (const { name, fields, role } of [
    { name: "a role that is not there", fields: undefined, role: undefined },
    { name: "another role", fields: undefined, role: aGlobalRole() },
    { name: "nobody", fields: {}, role: admin },
  ]) {
    it(`is none for ${name}`, () =>
      expect(adminBinding(binding(fields), role)).to.equal(undefined));
  }
});

describe("annotated", () => {
  const wanted = adminBinding(binding(), admin);
  if (wanted === undefined) throw new Error("there is none");
  const live = (name: string) => ({
    ...wanted,
    metadata: { ...wanted.metadata, annotations: { [annotations.binding]: name } },
  });
  const own = { [annotations.role]: "admin", [annotations.binding]: "grb-1" };

  it("names this binding, unless another one is named that has it as well", () => {
    expect(annotated(wanted, binding(), undefined, []).metadata.annotations).to.deep.equal(own);
    expect(annotated(wanted, binding(), live("grb-2"), []).metadata.annotations).to.deep.equal(own);
    expect(annotated(wanted, binding(), live("grb-2"), ["grb-2"])).to.equal(wanted);
  });
});

describe("isRanchers", () => {
  const wanted = adminBinding(binding(), admin);
  if (wanted === undefined) throw new Error("there is none");
  const { subjects: [subject] = [] } = wanted;

  for (const { name, fields, expected } of [
    { name: "the very same grant", fields: {}, expected: true },
    {
      name: "another role",
      fields: { roleRef: { apiGroup, kind: "ClusterRole", name: "view" } },
      expected: false,
    },
    { name: "somebody besides", fields: { subjects: [subject, subject] }, expected: false },
    {
      name: "somebody else",
      fields: { subjects: [{ ...subject, name: "u-eve" }] },
      expected: false,
    },
    { name: "nobody", fields: { subjects: [] }, expected: false },
  ]) {
    it(`is ${expected} for ${name}`, () => {
      expect(isRanchers({ ...wanted, ...fields } as typeof wanted, wanted)).to.equal(expected);
    });
  }
});
