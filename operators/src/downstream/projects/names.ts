/** Names that people and programs see. */

/** The controller; its field manager is `drover-cluster-projects`. */
export const controllerName = "cluster-projects";

/** Id of the set of a project's ClusterRoles. */
export const rolesSet = "drover-project-namespaces";

/** On a system project: names that were offered to it, so that only what the setting gains later is; who moves one away is obeyed. */
export const offeredAnnotation = "drover.dev/offered-namespaces";

/** Types of conditions; Rancher's. */
export const conditions = {
  default: "DefaultNamespacesAssigned",
  system: "SystemNamespacesAssigned",
} as const;

/** Reasons of conditions that do not hold, and of Events. */
export const reasons = {
  assignFailed: "AssignFailed",
  /** The project is deleted, and with it a namespace that was made in it. */
  namespaceDeleted: "NamespaceDeleted",
} as const;

/** Indexes. */
export const indexes = {
  /** Namespaces by their annotation projectId. */
  project: "cluster-projects.project",
  /** Projects that take in the system's namespaces, by cluster. */
  system: "cluster-projects.system",
} as const;
