import { expect } from "chai";
import { summarize } from "./summary.ts";

/** Written down once more, from what wrangler does: a row that is missing in one of the tables shows here. */
const untilTrue: Readonly<Record<string, string>> = {
  activating: "Active InitialRolesPopulated",
  provisioning:
    "AddonDeploy AgentDeployed CertsGenerated DockerProvisioned etcd NodesCreated Provisioned",
  configuring:
    "BackingNamespaceCreated ConfigOK CreatorMadeOwner DefaultNamespaceAssigned DefaultNetworkPolicyCreated DefaultProjectCreated",
  building: "Built",
  creating: "Created",
  deploying: "Deployed",
  draining: "Drained",
  downloading: "Downloaded",
  deactivating: "Inactive",
  initializing: "Initialized",
  installing: "Installed",
  pending: "Pending ScalingActive AbleToScale",
  scheduling: "PodScheduled",
  reconciling: "Reconciled",
  refreshed: "Refreshed",
  registering: "Registered",
  removing: "Removed",
  saving: "Saved",
  updating: "Updated Updating",
  upgrading: "Upgraded",
  waiting: "Waiting",
  running: "RunCompleted",
  processed: "Processed",
  why: "NodeHealthy NodeReady",
};
const whileTrue: Readonly<Record<string, string>> = {
  reconciling: "Reconciling",
  why: "ScalingUp ScalingDown Deleting Paused",
};
const whileFalse: Readonly<Record<string, string>> = {
  activating: "Completed",
  updating: "Available MachinesReady",
  why: "BootstrapConfigReady InfrastructureReady",
  unavailable: "Ready",
};

/** GVK, condition and status that mean an error. */
const errors: readonly (readonly [apiVersion: string, kind: string, ...conditions: string[]])[] = [
  ["helm.cattle.io/v1", "HelmChart", "Failed=True"],
  [
    ...["v1", "Node", "OutOfDisk=True", "MemoryPressure=True"],
    ...["DiskPressure=True", "NetworkUnavailable=True"],
  ] as const,
  ["apps/v1", "Deployment", "ReplicaFailure=True", "Progressing=False"],
  ["apps/v1", "ReplicaSet", "ReplicaFailure=True"],
  ["example.com/v1", "Thing", "Stalled=True", "Failed=True"],
];

const flags = (type: string, status: string) => {
  const conditions = [{ type, status, message: "m", reason: "Why" }];
  const { state, error, transitioning } = summarize(
    { apiVersion: "example.com/v1", kind: "Thing", status: { conditions } },
    { now: 0 },
  );
  return { state, error, transitioning };
};

const each = (table: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  Object.entries(table).flatMap(([state, types]) =>
    types.split(" ").map((type) => [state, type] as const),
  );

describe("conditions", () => {
  for (const [state, type] of each(untilTrue)) {
    it(`are ${state} until ${type} is True`, () => {
      expect(flags(type, "False")).to.deep.equal({ state, error: true, transitioning: false });
      expect(flags(type, "Unknown")).to.deep.equal({ state, error: false, transitioning: true });
      expect(flags(type, "True").state).to.equal("active");
    });
  }

  for (const [state, type] of each(whileTrue)) {
    it(`are ${state} while ${type} is True`, () => {
      expect(flags(type, "True")).to.deep.equal({ state, error: false, transitioning: true });
      expect(flags(type, "False").state).to.equal("active");
    });
  }

  for (const [state, type] of each(whileFalse)) {
    it(`are ${state} while ${type} is False`, () => {
      expect(flags(type, "False")).to.deep.equal({ state, error: false, transitioning: true });
      expect(flags(type, "Unknown")).to.deep.equal({ state, error: true, transitioning: false });
      expect(flags(type, "True").state).to.equal("active");
    });
  }

  for (const [apiVersion, kind, ...conditions] of errors) {
    for (const condition of conditions) {
      it(`are an error of a ${kind} when ${condition}`, () => {
        const [type, status] = condition.split("=");
        const object = { apiVersion, kind, status: { conditions: [{ type, status }] } };

        expect(summarize(object, { now: 0 })).to.include({ state: "error", error: true });
      });
    }
  }
});

describe("kinds at rest", () => {
  for (const [apiVersion, kind, rest, message] of [
    ["v1", "Secret", {}, "Resource is always ready"],
    ["v1", "ConfigMap", {}, "Resource is always ready"],
    ["batch/v1", "CronJob", {}, "Resource is always ready"],
    ["v1", "Service", { spec: { type: "ClusterIP" } }, "Service is ready"],
    ["policy/v1", "PodDisruptionBudget", {}, "AllowedDisruptions has been computed."],
    ["example.com/v1", "Thing", {}, "Resource is current"],
  ] as const) {
    it(`are active: ${kind}`, () => {
      const { state, error, transitioning, messages } = summarize(
        { apiVersion, kind, ...rest },
        { now: 0 },
      );

      expect({ state, error, transitioning }).to.deep.equal({
        ...{ state: "active", error: false, transitioning: false },
      });
      expect(messages).to.deep.equal([message]);
    });
  }
});
