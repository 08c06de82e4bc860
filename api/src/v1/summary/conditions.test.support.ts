/** What conditions of any kind mean. */

import { is } from "./cases.test.support.ts";

/** Written down once more, from what wrangler does: a row that is missing in one of the tables shows here. */
export const untilTrue: Readonly<Record<string, string>> = {
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
/** States while a condition is True. */
export const whileTrue: Readonly<Record<string, string>> = {
  reconciling: "Reconciling",
  why: "ScalingUp ScalingDown Deleting Paused",
};
/** States while a condition is False. */
export const whileFalse: Readonly<Record<string, string>> = {
  activating: "Completed",
  updating: "Available MachinesReady",
  why: "BootstrapConfigReady InfrastructureReady",
  unavailable: "Ready",
};

/** GVK, condition and status that mean an error. */
export const errors: readonly (readonly [
  apiVersion: string,
  kind: string,
  ...conditions: string[],
])[] = [
  ["helm.cattle.io/v1", "HelmChart", "Failed=True"],
  [
    ...["v1", "Node", "OutOfDisk=True", "MemoryPressure=True"],
    ...["DiskPressure=True", "NetworkUnavailable=True"],
  ] as const,
  ["apps/v1", "Deployment", "ReplicaFailure=True", "Progressing=False"],
  ["apps/v1", "ReplicaSet", "ReplicaFailure=True"],
  ["example.com/v1", "Thing", "Stalled=True", "Failed=True"],
];

/** The rows of one of these tables. */
export const each = (
  table: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] =>
  Object.entries(table).flatMap(([state, types]) =>
    types.split(" ").map((type) => [state, type] as const),
  );

/** What is told of one condition. */
export const flags: readonly (readonly [
  title: string,
  apiVersion: string,
  condition: unknown,
  error: boolean,
  transitioning: boolean,
])[] = [
  ["Ready=True", "v1", is("Ready", "True"), false, false],
  ["Ready=False", "v1", is("Ready", "False", "no"), false, true],
  ["Ready=False of Rancher's", "management.cattle.io/v3", is("Ready", "False", "no"), true, true],
  ["PodScheduled=False", "v1", is("PodScheduled", "False"), true, false],
  ["Updated=Unknown", "v1", is("Updated", "Unknown"), false, true],
  ["a reason Error", "v1", is("Foo", "True", "", "Error"), true, false],
];
