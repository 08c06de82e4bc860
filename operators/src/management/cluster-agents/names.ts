/** Names that people and programs see. */

/** The controller; its field manager is `drover-cluster-agents`. */
export const controllerName = "cluster-agents";

/** The role of a cluster's system account. */
export const accountRole = "cluster-owner";

/** Label of the account's binding; its value is the cluster. */
export const accountLabel = "drover.dev/system-account-of";

/** Condition that lets a cluster have an account and an agent. */
export const provisioned = "Provisioned";

/** Reasons of conditions. */
export const reasons = {
  /** A kubeconfig leads to the cluster, so nothing of ours runs there. */
  direct: "ReachedDirectly",
  /** The account's binding could not be made. */
  noBinding: "BindingFailed",
} as const;

/** Index of management Nodes by namespace. */
export const nodesByCluster = "cluster-agents.cluster";
