/** Names that people and programs see. */

/** The controller; its field manager is `drover-downstream-project-role-template-bindings`. */
export const controllerName = "downstream-project-role-template-bindings";

/** Reasons of Events. */
export const reasons = {
  /** The RoleTemplate is not there; Rancher's word. */
  noTemplate: "FailureToGetRoleTemplate",
  /** The Project is not there. */
  noProject: "ProjectNotFound",
  /** The binding is in another namespace than its project's: whoever may write there has no say in this project. */
  misplaced: "Misplaced",
} as const;

/** Indexes of ProjectRoleTemplateBindings. */
export const indexes = {
  /** By projectName. */
  project: "downstream-project-role-template-bindings.project",
  /** By `<cluster>/<template>`. */
  template: "downstream-project-role-template-bindings.template",
  /** By `<cluster>/<label that names the template as an owner>`. */
  templateLabel: "downstream-project-role-template-bindings.template-label",
} as const;

/** Index of namespaces: by the annotation that names their project. */
export const namespacesOf = "downstream-project-role-template-bindings.namespaces";
