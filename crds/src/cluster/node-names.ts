/** Names that management Nodes and the nodes they stand for carry (rancher: pkg/controllers/managementuser/nodesyncer, pkg/controllers/managementagent/podresources). */

export const nodeNames = {
  /** How names of management Nodes begin. */
  prefix: "machine-",
  /** Annotation, "true", of those that follow a node of their cluster. */
  synced: "management.cattle.io/nodesyncer",
  /** Label: the name of the node, as `safeConcatName` shortens it. */
  nodeLabel: "management.cattle.io/nodename",
  /** Annotation of a node: what its Pods have asked for, as JSON. */
  podRequests: "management.cattle.io/pod-requests",
  /** Annotation of a node: what its Pods may use at most, as JSON. */
  podLimits: "management.cattle.io/pod-limits",
} as const;
