import { ClusterRoleTemplateBinding } from "@drover/crds";
import { expect } from "chai";
import {
  clusterRoleRef,
  managementClaimant,
  onManagementPlane,
  roleRef,
  sharedClusterRoleBinding,
  sharedRoleBinding,
} from "./bindings.ts";
import { legacyIndex } from "./legacy.ts";

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

describe("legacyIndex", () => {
  const reference = { apiVersion: "v1", kind: "ClusterRoleTemplateBinding", name: "x", uid: "1" };
  for (const { name, metadata, expected } of [
    {
      name: "keys of labels of the legacy model",
      metadata: {
        labels: {
          "c-1_a": "membership-binding-owner",
          "c-1_b": "crtb-in-project-binding-owner",
          "p-1_c": "prtb-in-cluster-binding-owner",
        },
      },
      expected: ["c-1_a", "c-1_b", "p-1_c"],
    },
    {
      name: "nothing of the aggregated model's",
      metadata: { labels: { "c-1_a": "true" } },
      expected: [],
    },
    {
      name: "the uid of a binding",
      metadata: {
        ownerReferences: [reference, { ...reference, kind: "GlobalRoleBinding", uid: "2" }],
      },
      expected: ["1"],
    },
    { name: "nothing", metadata: {}, expected: [] },
  ]) {
    it(`has ${name}`, () => {
      const object = {
        apiVersion: "v1",
        kind: "RoleBinding",
        metadata: { name: "x", ...metadata },
      };

      expect(legacyIndex.of(object)).to.deep.equal(expected);
    });
  }
});
