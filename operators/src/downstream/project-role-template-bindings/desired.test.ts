import type { PolicyRule } from "@drover/crds";
import { expect } from "chai";
import type { Subject } from "kopf-ts/kinds";
import { clusterRoleBindings, type Grant, podSecurityRoles, roleBindings } from "./desired.ts";

const apiGroup = "rbac.authorization.k8s.io";
const subject: Subject = { kind: "User", name: "u-abc123", apiGroup };
const grant = (fields: Partial<Grant> = {}): Grant => ({
  subject,
  template: "project-member",
  external: false,
  project: "p-1",
  namespaces: ["ns1", "ns2"],
  rules: [],
  hasPromoted: false,
  ...fields,
});
const create: PolicyRule = { verbs: ["create"], apiGroups: [""], resources: ["namespaces"] };
const loosen: PolicyRule = {
  verbs: ["updatepsa"],
  apiGroups: ["management.cattle.io"],
  resources: ["projects"],
};
const rolesOf = (fields: Partial<Grant>) =>
  clusterRoleBindings(grant(fields)).map(({ roleRef }) => roleRef.name);

describe("roleBindings", () => {
  it("grant the aggregator in each namespace, under Rancher's name and label", () => {
    const bindings = roleBindings(grant());

    expect(bindings.map(({ metadata }) => `${metadata.namespace} ${metadata.name}`)).to.deep.equal([
      "ns1 rb-gipambdzxw",
      bindings[1] && `ns2 ${bindings[1].metadata.name}`,
    ]);
    expect(bindings[0]).to.deep.include({
      roleRef: { apiGroup, kind: "ClusterRole", name: "project-member-aggregator" },
      subjects: [subject],
    });
    expect(bindings[0]?.metadata.labels).to.deep.equal({
      "management.cattle.io/roletemplate-aggregation": "true",
    });
  });

  it("grant the ClusterRole of an external template itself", () => {
    const [binding] = roleBindings(grant({ external: true, template: "view" }));

    expect(binding?.roleRef.name).to.equal("view");
  });
});

describe("clusterRoleBindings", () => {
  for (const { name, fields, expected } of [
    { name: "reading, by default", fields: {}, expected: ["p-1-namespaces-readonly"] },
    {
      name: "case 60: promoted rules",
      fields: { hasPromoted: true },
      expected: ["project-member-promoted-aggregator", "p-1-namespaces-readonly"],
    },
    {
      name: "case 62: creating and editing",
      fields: { rules: [create] },
      expected: ["create-ns", "p-1-namespaces-edit"],
    },
    {
      name: "case 62: loosening",
      fields: { rules: [loosen] },
      expected: ["p-1-namespaces-psa"],
    },
    {
      name: "case 62: all of it",
      fields: { rules: [create, loosen], hasPromoted: true },
      expected: [
        "project-member-promoted-aggregator",
        "create-ns",
        "p-1-namespaces-edit",
        "p-1-namespaces-psa",
      ],
    },
    {
      name: "reading, where only one name may be created",
      fields: { rules: [{ ...create, resourceNames: ["x"] }] },
      expected: ["p-1-namespaces-readonly"],
    },
    {
      name: "reading, where another project may be loosened",
      fields: { rules: [{ ...loosen, resourceNames: ["p-2"] }] },
      expected: ["p-1-namespaces-readonly"],
    },
  ]) {
    it(`grant ${name}`, () => expect(rolesOf(fields)).to.deep.equal(expected));
  }

  it("do not depend on namespaces", () => {
    expect(rolesOf({ namespaces: [] })).to.deep.equal(["p-1-namespaces-readonly"]);
  });
});

describe("podSecurityRoles", () => {
  it("case 62: are there for those who may loosen, and about this project alone", () => {
    expect(podSecurityRoles(grant())).to.deep.equal([]);
    expect(podSecurityRoles(grant({ rules: [loosen] }))).to.deep.equal([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: {
          name: "p-1-namespaces-psa",
          labels: { "management.cattle.io/roletemplate-aggregation": "true" },
        },
        rules: [{ ...loosen, resourceNames: ["p-1"] }],
      },
    ]);
  });
});
