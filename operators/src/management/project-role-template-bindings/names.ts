/** Names that people and programs see. */

/** The controller; its field manager is `drover-project-role-template-bindings`. */
export const controllerName = "project-role-template-bindings";

/** Reasons of Events, by which a binding tells what is wrong: it has no status. Those of the subject and of objects come from what is tried. */
export const reasons = {
  /** The RoleTemplate is not there. */
  noTemplate: "RoleTemplateNotFound",
  /** The Cluster is not there. */
  noCluster: "ClusterNotFound",
  /** The Project is not there, or projectName names none. */
  noProject: "ProjectNotFound",
  /** The binding is in a namespace that is not the project's. */
  misplaced: "ProjectMismatch",
  /** The template inherits what is missing or itself, so that nobody knows whether it makes an owner. */
  unclearRules: "UnclearRules",
} as const;

/** Put on bindings by Rancher, which needs them no more; beside these, those of its controllers in clusters. */
export const legacyFinalizers: readonly string[] = [
  "controller.cattle.io/mgmt-auth-prtb-controller",
  "wrangler.cattle.io/mgmt-prtb-remove-handler",
];

/** Indexes of ProjectRoleTemplateBindings. */
export const bindingIndexes = {
  /** By the label value that ClusterRoles of its template bear. */
  template: "project-role-template-bindings.template",
  user: "project-role-template-bindings.user",
  /** By the key of its project. */
  project: "project-role-template-bindings.project",
  cluster: "project-role-template-bindings.cluster",
  namespace: "project-role-template-bindings.namespace",
} as const;
