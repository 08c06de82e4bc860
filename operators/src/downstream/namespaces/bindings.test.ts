import { aProjectRoleTemplateBinding } from "@drover/crds/testing";
import { expect } from "chai";
import type { ClusterRole, ClusterRoleBinding, RoleBinding } from "kopf-ts/kinds";
import {
  clusterBindingKeyOf,
  grantsOf,
  isComplete,
  namespacesOf,
  ownersOf,
  straysAmong,
} from "./bindings.ts";

const apiGroup = "rbac.authorization.k8s.io";
const aggregated = "authz.cluster.cattle.io/prtb-owner-prtb-1";
const legacy = "authz.cluster.cattle.io/rtb-owner-updated";
const oldest = "authz.cluster.cattle.io/rtb-owner";

const roleBinding = (labels: Readonly<Record<string, string>>): RoleBinding => ({
  apiVersion: `${apiGroup}/v1`,
  kind: "RoleBinding",
  metadata: { name: "rb", namespace: "shop", labels },
  roleRef: { apiGroup, kind: "ClusterRole", name: "view" },
});

describe("ownersOf", () => {
  for (const { name, labels, expected } of [
    { name: "a project's binding", labels: { [aggregated]: "true" }, expected: [aggregated] },
    {
      name: "several",
      labels: { [aggregated]: "true", [`${aggregated}2`]: "true" },
      expected: [aggregated, `${aggregated}2`],
    },
    {
      name: "one of the legacy model",
      labels: { [legacy]: "c-x-p-y_prtb-1" },
      expected: ["c-x-p-y_prtb-1"],
    },
    { name: "one of a Rancher before 2.5", labels: { [oldest]: "uid-1" }, expected: ["uid-1"] },
    {
      name: "none of a cluster's",
      labels: { "authz.cluster.cattle.io/crtb-owner-crtb-1": "true" },
      expected: [],
    },
    { name: "none of a stranger's", labels: { app: "x" }, expected: [] },
    {
      name: "none on the management cluster",
      labels: {
        [aggregated]: "true",
        "management.cattle.io/roletemplate-aggregation-mgmt": "true",
      },
      expected: [],
    },
  ]) {
    it(`finds ${name}`, () => expect(ownersOf(roleBinding(labels))).to.deep.equal(expected));
  }
});

describe("straysAmong", () => {
  const metadata = { name: "prtb-1", namespace: "c-x-p-y", uid: "uid-1" };
  const bindings = [aProjectRoleTemplateBinding({ metadata })];
  for (const { name, labels, expected } of [
    { name: "one of the project", labels: { [aggregated]: "true" }, expected: false },
    {
      name: "one of the project, by its legacy label",
      labels: { [legacy]: "c-x-p-y_prtb-1" },
      expected: false,
    },
    {
      name: "one of the project, by its oldest label",
      labels: { [oldest]: "uid-1" },
      expected: false,
    },
    { name: "one of another", labels: { [`${aggregated}0`]: "true" }, expected: true },
    {
      name: "one of another, by its legacy label",
      labels: { [legacy]: "c-x-p-z_prtb-1" },
      expected: true,
    },
    {
      name: "one that another has too",
      labels: { [aggregated]: "true", [`${aggregated}0`]: "true" },
      expected: false,
    },
    { name: "a stranger's", labels: { app: "x" }, expected: false },
  ]) {
    it(`is ${expected} of ${name}`, () => {
      expect(straysAmong([roleBinding(labels)], bindings)).to.have.length(expected ? 1 : 0);
    });
  }

  it("has all where there is no project", () => {
    const found = [roleBinding({ [aggregated]: "true" }), roleBinding({ [legacy]: "a_b" })];

    expect(straysAmong(found, [])).to.deep.equal(found);
  });
});

describe("clusterBindingKeyOf", () => {
  for (const { name, labels, expected } of [
    { name: "a legacy label", labels: { [legacy]: "c-x_crtb_1" }, expected: "c-x/crtb_1" },
    { name: "a legacy label that is no key", labels: { [legacy]: "crtb" }, expected: undefined },
    { name: "half a key", labels: { [legacy]: "c-x_" }, expected: undefined },
    { name: "other labels", labels: { [aggregated]: "true" }, expected: undefined },
  ]) {
    it(`is ${expected} by ${name}`, () =>
      expect(clusterBindingKeyOf(roleBinding(labels))).to.equal(expected));
  }
});

describe("namespacesOf", () => {
  const role = (annotated: boolean): ClusterRole => ({
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRole",
    metadata: {
      name: "r",
      annotations: annotated ? { "authz.cluster.auth.io/project-namespaces": "r" } : {},
    },
    rules: [
      { verbs: ["*"], apiGroups: [""], resources: ["namespaces"], resourceNames: ["a", "b"] },
      {
        verbs: ["x"],
        apiGroups: ["management.cattle.io"],
        resources: ["projects"],
        resourceNames: ["p"],
      },
    ],
  });

  it("reads the roles of projects alone", () => {
    expect(namespacesOf(role(true))).to.deep.equal(["a", "b"]);
    expect(namespacesOf(role(false))).to.deep.equal([]);
    expect(namespacesOf({ ...role(true), rules: null })).to.deep.equal([]);
  });
});

describe("grantsOf", () => {
  it("names the role and each user", () => {
    const binding: ClusterRoleBinding = {
      apiVersion: `${apiGroup}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "b" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "r" },
      subjects: [
        { kind: "User", name: "u-1", apiGroup },
        { kind: "Group", name: "g", apiGroup },
      ],
    };

    expect(grantsOf(binding)).to.deep.equal(["r/u-1"]);
    expect(grantsOf({ ...binding, subjects: [] })).to.deep.equal([]);
  });
});

describe("isComplete", () => {
  const full = {
    roles: ["read", "edit"],
    bindings: [aProjectRoleTemplateBinding({ userName: "u-1" })],
    roleBindings: 1,
    creator: "u-1",
    isGranted: (grant: string) => grant === "edit/u-1",
  };
  for (const { name, found, expected } of [
    { name: "with everything", found: full, expected: true },
    { name: "without a role", found: { ...full, roles: ["edit"] }, expected: false },
    {
      name: "without a right of its creator",
      found: { ...full, isGranted: () => false },
      expected: false,
    },
    { name: "without a RoleBinding", found: { ...full, roleBindings: 0 }, expected: false },
    {
      name: "without bindings in the project",
      found: { ...full, bindings: [], roleBindings: 0 },
      expected: true,
    },
    {
      name: "with a creator who is no member",
      found: { ...full, creator: "admin", isGranted: () => false },
      expected: true,
    },
    {
      name: "without creator",
      found: { ...full, creator: undefined, isGranted: () => false },
      expected: true,
    },
  ]) {
    it(`is ${expected} ${name}`, () => expect(isComplete(found)).to.equal(expected));
  }
});
