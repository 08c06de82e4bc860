/** Names that people and programs see. */

/** The controller; its field manager is `drover-global-roles`. */
export const controllerName = "global-roles";

/** Types of conditions; Rancher's (rancher: pkg/controllers/management/auth/globalroles). */
export const conditions = {
  clusterRole: "ClusterRoleExists",
  namespacedRoles: "NamespacedRuleRoleExists",
  inheritedNamespacedRoles: "InheritedNamespacedRuleRoleExists",
  fleetWorkspaceRoles: "FleetWorkspaceRolePermissionsReconciled",
} as const;

/** Reasons of conditions that do not hold, and of the Events that tell the same. */
export const reasons = {
  /** Rules that Kubernetes would refuse; what was there before stays. */
  invalidRules: "InvalidRules",
} as const;

/** Put on global roles by Rancher, whose roles are collected by their owner references just as ours (norman: lifecycle/object.go). */
export const legacyFinalizer = "controller.cattle.io/mgmt-auth-gr-controller";

/** Indexes of GlobalRoles. */
export const indexes = {
  /** By each namespace that it has rules for. */
  namespace: "global-roles.namespaced-rules",
  /** "true" where it has permissions in fleet workspaces. */
  fleet: "global-roles.fleet-permissions",
  /** "true" where it has rules for other clusters. */
  inherited: "global-roles.inherited-namespaced-rules",
  /** By the value of the label that its roles bear. */
  ownerLabel: "global-roles.owner-label",
} as const;
