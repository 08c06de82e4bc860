import type { ClusterRoleTemplateBinding } from "@drover/crds";
import { aClusterRoleTemplateBinding, aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import { clusterRoleBindings } from "./desired.ts";

type Fields = Partial<Omit<ClusterRoleTemplateBinding, "metadata">>;
const apiGroup = "rbac.authorization.k8s.io";
const binding = (fields: Fields = {}) =>
  aClusterRoleTemplateBinding({
    metadata: { namespace: "c-1", name: "b" },
    clusterName: "c-1",
    roleTemplateName: "viewer",
    userName: "u-abc123",
    ...fields,
  });
const viewer = aRoleTemplate({ metadata: { name: "viewer" } });
const external = aRoleTemplate({ metadata: { name: "cluster-admin" }, external: true });

describe("clusterRoleBindings", () => {
  it("grant the aggregator to the user, under Rancher's name and label", () => {
    const template = aRoleTemplate({ metadata: { name: "project-member" } });

    const { bindings, obstacle } = clusterRoleBindings(binding(), template, "c-1");

    expect(obstacle).to.equal(undefined);
    expect(bindings).to.deep.equal([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: {
          name: "crb-3vszdv5ey7",
          labels: { "management.cattle.io/roletemplate-aggregation": "true" },
        },
        roleRef: { apiGroup, kind: "ClusterRole", name: "project-member-aggregator" },
        subjects: [{ kind: "User", name: "u-abc123", apiGroup }],
      },
    ]);
  });

  it("grant the ClusterRole of an external template itself", () => {
    const [made] = clusterRoleBindings(binding(), external, "c-1").bindings;

    expect(made?.roleRef.name).to.equal("cluster-admin");
  });

  it("grant a group", () => {
    const fields = { userName: "", groupPrincipalName: "x_group://1" };

    const [made] = clusterRoleBindings(binding(fields), viewer, "c-1").bindings;

    expect(made?.subjects).to.deep.equal([{ kind: "Group", name: "x_group://1", apiGroup }]);
  });

  for (const { name, fields, template = viewer, reason, status = "False" } of [
    { name: "another cluster", fields: { clusterName: "c-2" }, reason: "ClusterMismatch" },
    { name: "nobody", fields: { userName: "" }, reason: "NoSubject" },
    {
      name: "a user who is not known yet",
      fields: { userName: "", userPrincipalName: "x://1" },
      reason: "WaitsForSubject",
      status: "Unknown",
    },
    { name: "a user and a group", fields: { groupName: "g" }, reason: "AmbiguousSubject" },
    { name: "a missing template", fields: {}, template: null, reason: "FailureToGetRoleTemplate" },
  ]) {
    it(`grant nothing for ${name}, and say why`, () => {
      const desired = clusterRoleBindings(binding(fields), template ?? undefined, "c-1");

      expect(desired.bindings).to.deep.equal([]);
      expect(desired.obstacle).to.include({
        type: "ReconcileClusterRoleBindings",
        reason,
        status,
      });
    });
  }
});
