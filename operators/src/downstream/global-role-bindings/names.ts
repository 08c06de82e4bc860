/** Names that people and programs see. */

/** The controller; its field manager is `drover-downstream-global-role-bindings`. */
export const controllerName = "downstream-global-role-bindings";

/** Type of the condition; Rancher's. */
export const condition = "InheritedNamespacedRoleBindingReconciled";

/** Indexes. */
export const indexes = {
  /** Of GlobalRoleBindings: by the role. */
  role: "downstream-global-role-bindings.role",
  /** Of GlobalRoles: by each namespace that it has inherited rules for. */
  namespace: "downstream-global-role-bindings.namespace",
} as const;
