/** Names that people and programs see. */

/** The controller; its field manager is `drover-cluster-role-template-bindings`. */
export const controllerName = "cluster-role-template-bindings";

/** Types of conditions; Rancher's (rancher: pkg/controllers/management/auth/roletemplates/common.go). */
export const conditions = {
  subject: "ReconcileSubject",
  membership: "ReconcileMembershipBindings",
  bindings: "ReconcileBindings",
  /** Ours: only there while the cluster has told nothing, because it is not connected. */
  cluster: "ReachCluster",
} as const;

/** Reasons of conditions that do not hold, and of Events. Those of the subject and of objects come from what is tried. */
export const reasons = {
  /** The RoleTemplate is not there. */
  noTemplate: "RoleTemplateNotFound",
  /** The Cluster is not there. */
  noCluster: "ClusterNotFound",
  /** The binding is in the namespace of another cluster than it names. */
  misplaced: "ClusterMismatch",
  /** The template inherits what is missing or itself, so that nobody knows whether it makes an owner. */
  unclearRules: "UnclearRules",
  /** The cluster is not connected. */
  waitsForCluster: "WaitsForCluster",
  /** Another binding grants the very same, and this one goes or went. */
  duplicate: "DuplicateDeleted",
} as const;

/** Put on bindings by Rancher, which needs them no more; beside these, those of its controllers in clusters. */
export const legacyFinalizers: readonly string[] = [
  "controller.cattle.io/mgmt-auth-crtb-controller",
  "wrangler.cattle.io/mgmt-crtb-remove-handler",
];

/** Indexes of ClusterRoleTemplateBindings. */
export const bindingIndexes = {
  /** By the label value that ClusterRoles of its template bear. */
  template: "cluster-role-template-bindings.template",
  user: "cluster-role-template-bindings.user",
  /** By the namespace, which is that of its cluster. */
  cluster: "cluster-role-template-bindings.cluster",
  /** By all that makes two bindings the same. */
  content: "cluster-role-template-bindings.content",
} as const;

/** Indexes of Projects. */
export const projectIndexes = {
  cluster: "cluster-role-template-bindings.project-cluster",
  backingNamespace: "cluster-role-template-bindings.backing-namespace",
} as const;
