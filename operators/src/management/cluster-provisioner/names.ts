/** Names that people and programs see. */

/** The controller; its field manager is `drover-cluster-provisioner`. */
export const controllerName = "cluster-provisioner";

/** "true" on clusters that provisioning v2 drives: they are left to it. */
export const administrated = "provisioning.cattle.io/administrated";

/** Types of conditions (rancher: pkg/controllers/management/clusterprovisioner). */
export const conditions = {
  pending: "Pending",
  provisioned: "Provisioned",
  updated: "Updated",
  /** Once it is there it is the health check's. */
  waiting: "Waiting",
} as const;

/** Type of the condition in which cluster-import tells how a kubeconfig was taken. */
export const kubeconfigAccepted = "KubeconfigAccepted";

/** Reasons of conditions. */
export const reasons = {
  /** Nobody has imported the cluster yet. */
  waitsForImport: "WaitingForImport",
  /** The spec asks for a cluster of a cloud, which nobody here makes. */
  unsupported: "UnsupportedDriver",
  waitsForApi: "WaitingForAPI",
} as const;

/** Index of management Nodes by the name of their cluster. */
export const nodeIndex = "cluster-provisioner.cluster";
