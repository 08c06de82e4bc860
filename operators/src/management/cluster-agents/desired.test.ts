import { needsAgent } from "@drover/crds";
import { aCluster, aUser } from "@drover/crds/testing";
import { expect } from "chai";
import { accountBinding, grantsOtherwise, systemToken } from "./desired.ts";

const cluster = aCluster({ metadata: { name: "c-1" } });
const wanted = accountBinding(cluster, aUser({ metadata: { name: "u-1" } }));

describe("accountBinding", () => {
  it("makes the account an owner of its cluster", () => {
    const { metadata, clusterName, userName, roleTemplateName } = wanted;

    expect(`${metadata.namespace}/${metadata.name}`).to.equal("c-1/u-1-admin");
    expect([clusterName, userName, roleTemplateName]).to.deep.equal([
      "c-1",
      "u-1",
      "cluster-owner",
    ]);
  });
});

describe("grantsOtherwise", () => {
  for (const { name, change, expected } of [
    { name: "nothing", change: {}, expected: false },
    { name: "the user's principal", change: { userPrincipalName: "x://1" }, expected: false },
    { name: "the user", change: { userName: "u-2" }, expected: true },
    { name: "the role", change: { roleTemplateName: "read-only" }, expected: true },
    { name: "the cluster", change: { clusterName: "c-2" }, expected: true },
    { name: "a group besides", change: { groupName: "g" }, expected: true },
  ]) {
    it(`is ${expected} when ${name} differs`, () => {
      expect(grantsOtherwise({ ...wanted, ...change }, wanted)).to.equal(expected);
    });
  }
});

describe("systemToken", () => {
  it("is in the namespace of the cluster", () => {
    expect(systemToken("c-1")).to.deep.include({
      metadata: { name: "system", namespace: "c-1" },
      spec: { clusterName: "c-1" },
    });
  });
});

describe("needsAgent", () => {
  for (const { name, spec, annotations, expected } of [
    { name: "a cluster", spec: {}, annotations: {}, expected: true },
    { name: "the server's own", spec: { internal: true }, annotations: {}, expected: false },
    {
      name: "one with a kubeconfig",
      spec: {},
      annotations: { "drover.dev/kubeconfig-secret": "c" },
      expected: false,
    },
  ]) {
    it(`is ${expected} of ${name}`, () => {
      expect(needsAgent(aCluster({ metadata: { annotations }, spec }))).to.equal(expected);
    });
  }
});
