/** Names that people and programs see. */

/** The controller; its field manager is `drover-downstream-cluster-role-template-bindings`. */
export const controllerName = "downstream-cluster-role-template-bindings";

/** Types of remote conditions; Rancher's (rancher: pkg/controllers/managementuser/rbac/roletemplates). */
export const conditions = {
  binding: "ReconcileClusterRoleBindings",
  impersonator: "EnsureServiceAccountImpersonator",
} as const;

/** Reasons of conditions, and of the Events that tell of those that do not hold. */
export const reasons = {
  /** Rancher's words for what holds. */
  bindingExists: "ClusterRoleBindingExists",
  impersonatorExists: "ServiceAccountImpersonatorExists",
  /** The RoleTemplate is not there; Rancher's word. */
  noTemplate: "FailureToGetRoleTemplate",
  /** Nobody can be bound. */
  noSubject: "NoSubject",
  ambiguousSubject: "AmbiguousSubject",
  /** The user of a principal is about to be filled in. */
  waitsForSubject: "WaitsForSubject",
  /** clusterName is another cluster than the namespace says. */
  otherCluster: "ClusterMismatch",
  /** There is no User of the name, so no request of it could reach the cluster. */
  noUser: "UserNotFound",
  /** The account is about to be made. */
  waitsForImpersonator: "WaitsForImpersonator",
} as const;

/** Indexes of ClusterRoleTemplateBindings, by `<cluster>/<name>`. */
export const indexes = {
  template: "downstream-cluster-role-template-bindings.template",
  user: "downstream-cluster-role-template-bindings.user",
} as const;
