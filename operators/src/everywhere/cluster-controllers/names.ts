/** Names that people and programs see. */

import { lifecycleNames } from "@drover/crds";

/** The controller; its field manager is `drover-cluster-controllers`. */
export const controllerName = "cluster-controllers";

/** Rancher's own (rancher: pkg/controllers/management/usercontrollers), so that either server lets go of what the other held. */
export const finalizer: string = lifecycleNames("cluster-agent-controller-cleanup").finalizer;

/** Types of conditions. */
export const conditions = {
  connected: "Connected",
  ready: "Ready",
  waiting: "Waiting",
  provisioned: "Provisioned",
} as const;

/** Reasons of conditions and Events. */
export const reasons = {
  /** Rancher's: nobody reaches the cluster (rancher: pkg/controllers/dashboard/clusterconnected). */
  disconnected: "Disconnected",
  /** Rancher's: the cluster is reached, and says that it is not well (rancher: pkg/controllers/managementuser/healthsyncer). */
  unhealthy: "ComponentStatusFetchingFailure",
  unreachable: "Unreachable",
  refused: "CredentialsRefused",
  otherCluster: "OtherCluster",
  /** Something was left in the cluster when it was removed from here. */
  notCleanedUp: "NotCleanedUp",
} as const;

/** Rancher's words. */
export const disconnectedMessage = "Cluster agent is not connected";

/** Index of Clusters: the Secret with their token. */
export const byCredential = "cluster-controllers.credential";

/** Clusters of this replica, by how far they are. */
export const clustersMetric = {
  name: "drover_clusters",
  help: "Clusters by what this replica does with them",
  labels: ["phase"],
} as const;
