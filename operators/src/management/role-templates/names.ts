/** Names that people and programs see. */

/** The controller; its field manager is `drover-role-templates`. */
export const controllerName = "role-templates";

/** Indexes of RoleTemplates. */
export const indexes = {
  /** By the value of the label that its ClusterRoles bear. */
  ownerLabel: "role-templates.owner-label",
} as const;

/** Index of ClusterRoles: by the label of their RoleTemplate, save for those that its rights in a cluster are made of, which are others' to make. */
export const managementRoles = "role-templates.management-roles";

/** Put on role templates by Rancher, whose roles are collected by their owner references just as ours. */
export const legacyFinalizers: readonly string[] = [
  "controller.cattle.io/mgmt-auth-roletemplate-lifecycle",
  "wrangler.cattle.io/mgmt-roletemplate-remove-handler",
];
