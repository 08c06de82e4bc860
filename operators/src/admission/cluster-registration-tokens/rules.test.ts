import type { ClusterRegistrationToken } from "@drover/crds";
import { aClusterRegistrationToken } from "@drover/crds/testing";
import { expect } from "chai";
import { tokenProblem } from "./rules.ts";

const token = (spec: ClusterRegistrationToken["spec"]): ClusterRegistrationToken =>
  aClusterRegistrationToken({ metadata: { name: "crt", namespace: "c-a" }, ...(spec && { spec }) });
const clusterName = "c-a";

const noCluster = "spec.clusterName is required";
const otherCluster = "spec.clusterName must be the same as the namespace";
const shortTtl = "spec.ttl must be at least 30 minutes, or 0 for a token that never expires";
const shortGrace = "spec.gracePeriod must be at least 10 minutes";

describe("a registration token", () => {
  for (const { spec, before, expected } of [
    { spec: { clusterName }, expected: undefined },
    { spec: { clusterName, ttl: 30, gracePeriod: 10 }, expected: undefined },
    { spec: { clusterName, ttl: 0, gracePeriod: 0 }, expected: undefined },
    { spec: { clusterName, ttl: -1 }, expected: undefined },
    { spec: { clusterName, ttl: 30, gracePeriod: 500 }, expected: undefined },
    { spec: {}, expected: noCluster },
    { spec: { clusterName: "" }, expected: noCluster },
    { spec: { clusterName: "c-b" }, expected: otherCluster },
    { spec: { clusterName, ttl: 29 }, expected: shortTtl },
    { spec: { clusterName, ttl: 1 }, expected: shortTtl },
    { spec: { clusterName, gracePeriod: 9 }, expected: shortGrace },
    { spec: { clusterName, gracePeriod: -1 }, expected: shortGrace },
    { before: { clusterName }, spec: { clusterName: "c-b" }, expected: otherCluster },
    { before: { clusterName }, spec: { clusterName, ttl: 5 }, expected: shortTtl },
    {
      before: { clusterName: "c-b", ttl: 5 },
      spec: { clusterName: "c-b", ttl: 5 },
      expected: undefined,
    },
    {
      before: { clusterName, ttl: 5 },
      spec: { clusterName, ttl: 5, gracePeriod: 20 },
      expected: undefined,
    },
  ]) {
    const change = before === undefined ? "" : `${JSON.stringify(before)} becoming `;
    it(`${expected === undefined ? "takes" : "refuses"} ${change}${JSON.stringify(spec)}`, () => {
      expect(tokenProblem(token(spec), before && token(before))).to.equal(expected);
    });
  }
});
