/** Names that people and programs see. */

/** The controller; its field manager is `drover-downstream-global-roles`. */
export const controllerName = "downstream-global-roles";

/** Type of the condition; Rancher's. */
export const condition = "InheritedNamespacedRuleRoleExists";

/** Indexes of GlobalRoles. */
export const indexes = {
  /** By each namespace that it has inherited rules for. */
  namespace: "downstream-global-roles.namespace",
} as const;
