/** Names that people and programs see. */

/** The controller; its field manager is `drover-provider`. */
export const controllerName = "provider";

/** Label of a Cluster: who provides it. */
export const providerLabel = "provider.cattle.io";

/** Condition from which on it is looked for. */
export const ready = "Ready";

/** Index of the hub's management Nodes by cluster. */
export const nodesByCluster = "provider.cluster";
