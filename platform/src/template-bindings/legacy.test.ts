import { expect } from "chai";
import { type KubeObject, type ObjectMeta, refTo } from "kopf-ts";
import { RoleBinding } from "kopf-ts/kinds";
import { downstreamLegacyIndex, legacyIndex } from "./legacy.ts";

const aBinding = (metadata: Partial<ObjectMeta>): KubeObject => ({
  ...refTo(RoleBinding, "x"),
  metadata: { name: "x", ...metadata },
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
      name: "nothing of the aggregated model's, nor of a cluster's",
      metadata: { labels: { "c-1_a": "true", "p-1_b": "owner-user" } },
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
      expect(legacyIndex.of(aBinding(metadata))).to.deep.equal(expected);
    });
  }
});

describe("downstreamLegacyIndex", () => {
  const own = { "authz.cluster.cattle.io/rtb-owner-updated": "p-1_a" };
  for (const { name, labels, expected } of [
    { name: "the owner that a label names", labels: own, expected: ["p-1_a"] },
    {
      name: "the owners of what several have",
      labels: { "p-1_a": "owner-user", "p-2_b": "owner-user" },
      expected: ["p-1_a", "p-2_b"],
    },
    {
      name: "nothing of the management cluster's",
      labels: { "p-1_a": "prtb-in-cluster-binding-owner" },
      expected: [],
    },
    {
      name: "nothing of the aggregated model's",
      labels: { "authz.cluster.cattle.io/prtb-owner-a": "true" },
      expected: [],
    },
  ]) {
    it(`has ${name}`, () => {
      expect(downstreamLegacyIndex.of(aBinding({ labels }))).to.deep.equal(expected);
    });
  }
});
