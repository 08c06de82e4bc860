import type { Cluster, ClusterSpec, ClusterStatus } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import { administratedAnnotation, versionManagementAnnotation } from "../names.ts";
import {
  customizationProblem,
  newWorkspace,
  versionManagementProblem,
  workspaceProblem,
} from "./rules.ts";
import { schedulingFeature, schedulingProblem } from "./scheduling.ts";

const cluster = (spec: ClusterSpec = {}): Cluster => aCluster({ spec });
const inWorkspace = (fleetWorkspaceName: string): Cluster => cluster({ fleetWorkspaceName });

describe("the fleet workspace of a cluster", () => {
  for (const { before, after, problem, asks } of [
    { before: undefined, after: cluster(), problem: false, asks: undefined },
    { before: undefined, after: inWorkspace("a"), problem: false, asks: "a" },
    { before: cluster(), after: inWorkspace("a"), problem: false, asks: "a" },
    { before: inWorkspace("a"), after: inWorkspace("a"), problem: false, asks: undefined },
    { before: inWorkspace("a"), after: inWorkspace("b"), problem: false, asks: "b" },
    { before: inWorkspace("a"), after: inWorkspace(""), problem: true, asks: undefined },
    { before: inWorkspace("a"), after: cluster(), problem: true, asks: undefined },
    { before: cluster(), after: cluster(), problem: false, asks: undefined },
  ]) {
    const [from, to] = [before, after].map((each) => each?.spec?.fleetWorkspaceName);
    it(`${problem ? "must not" : "may"} go from ${from} to ${to}, asking for ${asks}`, () => {
      expect(newWorkspace(after, before)).to.equal(asks);
      expect(workspaceProblem(after, before)).to.equal(
        problem ? "spec.fleetWorkspaceName must not become empty" : undefined,
      );
    });
  }
});

describe("version management of an imported cluster", () => {
  function imported(value: string | undefined, driver: string, marks: object = {}): Cluster {
    const annotations = { ...(value !== undefined && { [versionManagementAnnotation]: value }) };
    const status: ClusterStatus = { driver };
    return aCluster({ metadata: { annotations: { ...annotations, ...marks } }, status });
  }

  for (const driver of ["k3s", "rke2"]) {
    for (const value of [undefined, "true", "false", "system-default"]) {
      it(`may be ${value} with ${driver}`, () => {
        expect(versionManagementProblem(imported(value, driver), undefined)).to.equal(undefined);
      });
    }

    it(`must not be anything else with ${driver}, but may stay`, () => {
      const wrong = imported("yes", driver);

      expect(versionManagementProblem(wrong, undefined)).to.equal(
        `annotation ${versionManagementAnnotation} must be true, false or system-default`,
      );
      expect(versionManagementProblem(wrong, wrong)).to.equal(undefined);
    });
  }

  it("means nothing on other clusters", () => {
    const provisioned = imported("yes", "k3s", { [administratedAnnotation]: "true" });

    expect(versionManagementProblem(imported("yes", "EKS"), undefined)).to.equal(undefined);
    expect(versionManagementProblem(provisioned, undefined)).to.equal(undefined);
  });
});

describe("the scheduling of agents", () => {
  type Scheduling = NonNullable<
    ClusterSpec["clusterAgentDeploymentCustomization"]
  >["schedulingCustomization"];
  const scheduled = (schedulingCustomization: Scheduling): Cluster =>
    cluster({
      clusterAgentDeploymentCustomization: {
        ...(schedulingCustomization && { schedulingCustomization }),
      },
    });
  const path = "spec.clusterAgentDeploymentCustomization.schedulingCustomization";
  const value = `${path}.priorityClass.value must be a whole number from -1000000000 to 1000000000`;
  const policy = `${path}.priorityClass.preemptionPolicy must be Never or PreemptLowerPriority`;
  const budget = `${path}.podDisruptionBudget`;
  const amount = "must be a whole number of at least 0, or a percentage from 0% to 100%";

  for (const { wanted, expected } of [
    { wanted: undefined, expected: undefined },
    { wanted: {}, expected: undefined },
    { wanted: { priorityClass: { value: 1_000_000_000 } }, expected: undefined },
    { wanted: { priorityClass: { value: -1_000_000_000, preemptionPolicy: "Never" } } },
    { wanted: { priorityClass: { value: 1_000_000_001 } }, expected: value },
    { wanted: { priorityClass: { value: -1_000_000_001 } }, expected: value },
    { wanted: { priorityClass: { preemptionPolicy: "Sometimes" } }, expected: policy },
    { wanted: { podDisruptionBudget: { minAvailable: "1" } }, expected: undefined },
    {
      wanted: { podDisruptionBudget: { minAvailable: 0, maxUnavailable: 1 } },
      expected: undefined,
    },
    { wanted: { podDisruptionBudget: { maxUnavailable: "100%" } }, expected: undefined },
    {
      wanted: { podDisruptionBudget: {} },
      expected: `${budget} must have minAvailable or maxUnavailable`,
    },
    {
      wanted: { podDisruptionBudget: { minAvailable: "1", maxUnavailable: "1" } },
      expected: `${budget} must not have both minAvailable and maxUnavailable`,
    },
    {
      wanted: { podDisruptionBudget: { minAvailable: "101%" } },
      expected: `${budget}.minAvailable ${amount}`,
    },
    {
      wanted: { podDisruptionBudget: { maxUnavailable: -1 } },
      expected: `${budget}.maxUnavailable ${amount}`,
    },
    {
      wanted: { podDisruptionBudget: { maxUnavailable: "some" } },
      expected: `${budget}.maxUnavailable ${amount}`,
    },
  ]) {
    it(`${expected === undefined ? "may" : "must not"} be ${JSON.stringify(wanted)}`, () => {
      expect(schedulingProblem(scheduled(wanted), undefined, true)).to.equal(expected);
      expect(schedulingProblem(scheduled(wanted), scheduled(wanted), true)).to.equal(undefined);
    });
  }

  it("can only stay or go while the feature is off", () => {
    const before = scheduled({ priorityClass: { value: 1 } });
    const told = `${path} can only be removed while feature ${schedulingFeature} is off`;

    expect(schedulingProblem(before, undefined, false)).to.equal(told);
    expect(schedulingProblem(scheduled({ priorityClass: { value: 2 } }), before, false)).to.equal(
      told,
    );
    expect(schedulingProblem(before, before, false)).to.equal(undefined);
    expect(schedulingProblem(scheduled({}), before, false)).to.equal(undefined);
    expect(schedulingProblem(cluster(), before, false)).to.equal(undefined);
  });

  it("is judged for Fleet's agent too", () => {
    const fleet = cluster({
      fleetAgentDeploymentCustomization: {
        schedulingCustomization: { priorityClass: { value: 0.5 } },
      },
    });

    expect(schedulingProblem(fleet, undefined, true)).to.contain("spec.fleetAgentDeployment");
  });
});

describe("what deployments in a cluster add", () => {
  const toleration = { key: "a b" };

  for (const { name, spec, expected } of [
    { name: "nothing", spec: {}, expected: undefined },
    {
      name: "a toleration of the cluster agent",
      spec: { clusterAgentDeploymentCustomization: { appendTolerations: [toleration] } },
      expected:
        "spec.clusterAgentDeploymentCustomization.appendTolerations[0].key must be a label key",
    },
    {
      name: "an affinity of Fleet's agent",
      spec: { fleetAgentDeploymentCustomization: { overrideAffinity: { nodeAffinity: 1 } } },
      expected:
        "spec.fleetAgentDeploymentCustomization.overrideAffinity.nodeAffinity must be an object",
    },
    {
      name: "a replica of the webhook",
      spec: { webhookDeploymentCustomization: { replicaCount: 1 } },
      expected: undefined,
    },
    {
      name: "no replica of the webhook",
      spec: { webhookDeploymentCustomization: { replicaCount: 0 } },
      expected:
        "spec.webhookDeploymentCustomization.replicaCount must be a whole number of at least 1",
    },
    {
      name: "a budget of the webhook",
      spec: { webhookDeploymentCustomization: { podDisruptionBudget: { minAvailable: "x" } } },
      expected:
        "spec.webhookDeploymentCustomization.podDisruptionBudget.minAvailable must be a whole number of at least 0, or a percentage from 0% to 100%",
    },
  ]) {
    it(`${expected === undefined ? "may" : "must not"} be ${name}`, () => {
      expect(customizationProblem(cluster(spec), undefined)).to.equal(expected);
      expect(customizationProblem(cluster(spec), cluster(spec))).to.equal(undefined);
    });
  }
});
