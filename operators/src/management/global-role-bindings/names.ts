/** Names that people and programs see. */

/** The controller; its field manager is `drover-global-role-bindings`. */
export const controllerName = "global-role-bindings";

/** Types of conditions; Rancher's (rancher: pkg/controllers/management/auth/globalroles). */
export const conditions = {
  subject: "SubjectReconciled",
  clusters: "ClusterPermissionsReconciled",
  global: "GlobalRoleBindingReconciled",
  namespaced: "NamespacedRoleBindingReconciled",
  inherited: "InheritedNamespacedRoleBindingReconciled",
  fleet: "FleetWorkspacePermissionReconciled",
} as const;

/** Type of the remote condition about what administrators are in every cluster; Rancher's. */
export const adminCondition = "ClusterAdminRoleExists";

/** Reasons of conditions that do not hold, and of the Events that tell the same. */
export const reasons = {
  /** Neither a user nor a group is bound. */
  noSubject: "NoSubject",
  /** A user and a group are bound; nobody can tell who is meant. */
  ambiguousSubject: "AmbiguousSubject",
  /** There is no User of the name, so nobody knows its principal; the name is bound all the same. */
  userNotFound: "UserNotFound",
  /** The user of the principal could not be found or made. */
  noUser: "FailedToEnsureUser",
  /** The GlobalRole is not there; Rancher's word. */
  noRole: "FailedToGetGlobalRole",
} as const;

/** Put on bindings by Rancher, whose objects are collected by their owner references just as ours (norman: lifecycle/object.go). */
export const legacyFinalizer = "controller.cattle.io/mgmt-auth-grb-controller";

/** Indexes of GlobalRoleBindings. */
export const bindingIndexes = {
  role: "global-role-bindings.role",
  user: "global-role-bindings.user",
  /** By the value of the label that its objects bear. */
  ownerLabel: "global-role-bindings.owner-label",
} as const;

/** Indexes of GlobalRoles. */
export const roleIndexes = {
  /** By each namespace that it has rules for. */
  namespace: "global-role-bindings.namespace",
  /** "true" where it brings roles in other clusters. */
  clusters: "global-role-bindings.clusters",
  /** "true" where it has permissions in fleet workspaces. */
  fleet: "global-role-bindings.fleet",
} as const;
