import { ClusterRoleTemplateBinding, type PolicyRule } from "@drover/crds";
import { expect } from "chai";
import {
  clusterMembership,
  clusterRoleRef,
  managementClaimant,
  onManagementPlane,
  roleRef,
  sharedClusterRoleBinding,
  sharedRoleBinding,
} from "./bindings.ts";

const apiGroup = "rbac.authorization.k8s.io";
const subject = { kind: "User", name: "u-abc123", apiGroup } as const;
const member = clusterRoleRef("project-member-aggregator");

describe("shared bindings", () => {
  it("have Rancher's names", () => {
    const cluster = sharedClusterRoleBinding(member, subject);
    const inNamespace = sharedRoleBinding("ns1", member, subject);

    expect(cluster.metadata).to.deep.equal({ name: "crb-3vszdv5ey7" });
    expect(inNamespace.metadata).to.deep.equal({ name: "rb-gipambdzxw", namespace: "ns1" });
    expect(inNamespace.roleRef).to.deep.equal(member);
    expect(inNamespace.subjects).to.deep.equal([subject]);
  });

  it("may be named after another place than they are in", () => {
    const binding = sharedRoleBinding("c-1", roleRef("p-1-projectmember"), subject, "p-1");
    const other = sharedRoleBinding("p-1", roleRef("p-1-projectmember"), subject);

    expect(binding.metadata).to.deep.equal({ name: other.metadata.name, namespace: "c-1" });
  });

  it("say that they are of the management plane", () => {
    const { metadata } = onManagementPlane(sharedRoleBinding("ns1", member, subject));

    expect(metadata.labels).to.deep.equal({
      "management.cattle.io/roletemplate-aggregation-mgmt": "true",
    });
  });

  it("are claimed for no cluster", () => {
    const claimant = managementClaimant(ClusterRoleTemplateBinding, "c-1/crtb", "label");

    expect(claimant).to.include({ cluster: "", key: "c-1/crtb", label: "label" });
  });
});

describe("clusterMembership", () => {
  const own = (names?: readonly string[]): PolicyRule => ({
    verbs: ["own"],
    apiGroups: ["management.cattle.io"],
    resources: ["clusters"],
    ...(names && { resourceNames: names }),
  });
  for (const { name, rules, expected } of [
    { name: "a member without rules", rules: [], expected: "c-1-clustermember" },
    { name: "an owner by verb own", rules: [own()], expected: "c-1-clusterowner" },
    {
      name: "a member by ownership of another cluster",
      rules: [own(["c-2"])],
      expected: "c-1-clustermember",
    },
  ]) {
    it(`makes ${name}`, () => {
      const binding = clusterMembership({ cluster: "c-1", subject, rules });

      expect(binding.roleRef.name).to.equal(expected);
      expect(binding.subjects).to.deep.equal([subject]);
      expect(binding.metadata.name).to.match(/^crb-[a-z2-7]{10}$/);
    });
  }
});
