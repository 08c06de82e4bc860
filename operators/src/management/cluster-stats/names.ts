/** Names that people and programs see. */

/** The controller; its field manager is `drover-cluster-stats`. */
export const controllerName = "cluster-stats";

/** Types of conditions (rancher: pkg/controllers/management/clusterstats). */
export const conditions = { disk: "NoDiskPressure", memory: "NoMemoryPressure" } as const;

/** Reasons of conditions. */
export const reasons = {
  disk: "DiskPressure",
  memory: "MemoryPressure",
  /** Nobody knows yet what a node is for, so nothing is added up. */
  unsynced: "NodesNotSynced",
} as const;

/** Index of management Nodes by the name of their cluster. */
export const nodeIndex = "cluster-stats.cluster";

/** Milliseconds between two sums of one cluster. */
export const pause = 10_000;
