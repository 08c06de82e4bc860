/** Names that people and programs see. */

/** The controllers; their field managers are `drover-<name>`. */
export const controllerNames = {
  admins: "downstream-global-admins",
  synced: "downstream-global-admins-synced",
} as const;

/** Types of conditions; Rancher's. */
export const conditions = {
  /** Of the GlobalRoleBinding, remote. */
  admin: "ClusterAdminRoleExists",
  /** Of the Cluster: those who were administrators when it came are so in it. */
  synced: "GlobalAdminsSynced",
} as const;

/** Annotations on the ClusterRoleBinding; Rancher's (rancher: pkg/rbac/common.go). */
export const annotations = {
  role: "authz.cluster.cattle.io/globalrole",
  binding: "authz.cluster.cattle.io/globalrolebinding",
} as const;

/** Indexes of GlobalRoleBindings. */
export const indexes = { role: "downstream-global-admins.role" } as const;
