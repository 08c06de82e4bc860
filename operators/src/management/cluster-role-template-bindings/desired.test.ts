import type { ClusterRoleTemplateBinding, PolicyRule } from "@drover/crds";
import { aClusterRoleTemplateBinding } from "@drover/crds/testing";
import { expect } from "chai";
import type { RoleBinding } from "kopf-ts/kinds";
import { contentOf, type Grant, keeperOf, rights } from "./desired.ts";

const group = "management.cattle.io";
const rule = (verb: string, resource: string, names?: readonly string[]): PolicyRule => ({
  verbs: [verb],
  apiGroups: [group],
  resources: [resource],
  ...(names && { resourceNames: names }),
});
const subject = { kind: "User", name: "u-ada", apiGroup: "rbac.authorization.k8s.io" } as const;
const granting = (...rules: readonly PolicyRule[]): Grant => ({
  cluster: "c-1",
  template: "rt",
  subject,
  rules,
});
const nothing = { managesCluster: false, managesProjects: false, projectNamespaces: [] };
const text = ({ metadata, roleRef }: RoleBinding): string =>
  `${metadata.namespace} ${roleRef.kind} ${roleRef.name}`;

describe("rights", () => {
  it("are none without roles of the management plane", () => {
    expect(rights(granting(), { ...nothing, projectNamespaces: ["c-1-p-1"] })).to.deep.equal([]);
  });

  it("are in the namespace of the cluster, and in those of its projects", () => {
    const around = {
      managesCluster: true,
      managesProjects: true,
      projectNamespaces: ["c-1-p-1", "c-1-p-2"],
    };

    const bindings = rights(granting(), around);

    expect(bindings.map(text)).to.deep.equal([
      "c-1 ClusterRole rt-cluster-mgmt-aggregator",
      "c-1-p-1 ClusterRole rt-project-mgmt-aggregator",
      "c-1-p-2 ClusterRole rt-project-mgmt-aggregator",
    ]);
    expect(new Set(bindings.map(({ metadata }) => metadata.name)).size).to.equal(3);
    expect(bindings[0]?.metadata.labels).to.deep.equal({
      "management.cattle.io/roletemplate-aggregation-mgmt": "true",
    });
  });

  for (const { verb, expected } of [
    { verb: "list", expected: ["c-1 Role crt-token-reader"] },
    { verb: "create", expected: ["c-1 Role crt-token-reader"] },
    { verb: "delete", expected: [] },
  ]) {
    it(`let the tokens be ${expected.length > 0 ? "" : "not "}read with verb ${verb} on them`, () => {
      const bindings = rights(granting(rule(verb, "clusterregistrationtokens")), nothing);

      expect(bindings.map(text)).to.deep.equal(expected);
    });
  }
});

type Fields = Partial<Omit<ClusterRoleTemplateBinding, "metadata">>;
type Metadata = Partial<ClusterRoleTemplateBinding["metadata"]>;
const binding = (name: string, metadata: Metadata = {}, fields: Fields = {}) =>
  aClusterRoleTemplateBinding({ metadata: { name, ...metadata }, ...fields });
const at = (day: number): string => `2026-01-0${day}T00:00:00Z`;

describe("keeperOf", () => {
  for (const { name, bindings, expected } of [
    {
      name: "the oldest",
      bindings: [
        binding("a", { creationTimestamp: at(3) }),
        binding("c", { creationTimestamp: at(1) }),
        binding("b", { creationTimestamp: at(2) }),
      ],
      expected: "c",
    },
    {
      name: "of one age that with the smaller name",
      bindings: [
        binding("b", { creationTimestamp: at(1) }),
        binding("a", { creationTimestamp: at(1) }),
      ],
      expected: "a",
    },
    {
      name: "none that is being deleted",
      bindings: [
        binding("a", { creationTimestamp: at(1), deletionTimestamp: at(2) }),
        binding("b", { creationTimestamp: at(2) }),
      ],
      expected: "b",
    },
    { name: "nobody of none", bindings: [], expected: undefined },
  ]) {
    it(`is ${name}`, () => expect(keeperOf(bindings)?.metadata.name).to.equal(expected));
  }
});

describe("contentOf", () => {
  const first = binding("a");

  it("says nothing of the name", () => {
    expect(contentOf(binding("b"))).to.equal(contentOf(first));
  });

  for (const [name, other] of Object.entries({
    role: binding("b", {}, { roleTemplateName: "other" }),
    user: binding("b", {}, { userName: "other" }),
    principal: binding("b", {}, { userPrincipalName: "other" }),
    group: binding("b", {}, { groupName: "other" }),
    "group principal": binding("b", {}, { groupPrincipalName: "other" }),
    cluster: binding("b", {}, { clusterName: "other" }),
    namespace: binding("b", { namespace: "other" }),
    "global role binding": binding("b", {
      labels: { "authz.management.cattle.io/grb-owner": "grb-1" },
    }),
  })) {
    it(`tells bindings of another ${name} apart`, () => {
      expect(contentOf(other)).not.to.equal(contentOf(first));
    });
  }
});
