/** Names that people and programs see. */

/** The controller; its field manager is `drover-orphaned-accounts`. */
export const controllerName = "orphaned-accounts";

/** How display names of system accounts begin; what follows is a name (rancher: pkg/systemaccount/systemaccount.go). */
export const accountPrefixes = {
  cluster: "System account for Cluster ",
  project: "System account for Project ",
} as const;

/** Reason of Events. */
export const orphanedReason = "AccountOrphaned";
