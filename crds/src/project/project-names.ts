/** Names of what Projects bring along (rancher: pkg/controllers/management/auth/project_cluster). */

import { clusterLifecycleNames, safeConcatName } from "../names.ts";
import type { Project } from "./project.ts";

/** Label key on what is made for a project: `projectNames.ownerLabel` of it. */
export const projectOwnerKey = "drover.dev/project";

/** Annotation key on ClusterRoles in a cluster that are about the namespaces of a project; its value is the role's own name. */
export const projectNamespacesAnnotation = "authz.cluster.auth.io/project-namespaces";

/** Names that follow from that of a project. */
export const projectNames = {
  /** The namespace of a new project's own objects. */
  backingNamespace: (cluster: string, project: string): string =>
    safeConcatName(cluster, project.toLowerCase()),
  /** The Role in the cluster's namespace by which members read the project. */
  memberRole: (project: string): string => safeConcatName(project, "projectmember"),
  /** The Role in the cluster's namespace by which owners change the project. */
  ownerRole: (project: string): string => safeConcatName(project, "projectowner"),
  /** In the cluster: the ClusterRole that reads the project's namespaces. */
  namespacesReadonly: (project: string): string => safeConcatName(project, "namespaces-readonly"),
  /** In the cluster: the ClusterRole that changes them, and moves others into the project. */
  namespacesEdit: (project: string): string => safeConcatName(project, "namespaces-edit"),
  /** In the cluster: the ClusterRole that loosens their Pod security. */
  namespacesPsa: (project: string): string => safeConcatName(project, "namespaces-psa"),
  /** The principal of the project's system account. */
  systemPrincipal: (project: string): string => `system://${project}`,
  /** The value of the label projectId of its namespaces: the name, cut where it is too long for one. */
  namespaceLabel: (project: string): string => safeConcatName(project),
  /** The value of the label that names the owner. */
  ownerLabel: (cluster: string, project: string): string => safeConcatName(cluster, project),
} as const;

/** Holds the projects of a cluster until its controllers have let go of their namespaces (rancher: pkg/controllers/managementuser/rbac/project_handler.go). */
export function projectFinalizer(cluster: string): string {
  return clusterLifecycleNames("project-namespace-auth", cluster).finalizer;
}

/** `<cluster>:<project>`, which is in annotations of namespaces and in projectName of bindings. */
export function idOfProject({ metadata }: Pick<Project, "metadata">): string {
  return `${metadata.namespace ?? ""}:${metadata.name}`;
}

/** The namespace of the project's own objects; projects older than such namespaces have that of their own name. */
export function backingNamespaceOf({
  metadata,
  status,
}: Pick<Project, "metadata" | "status">): string {
  return status?.backingNamespace || metadata.name;
}

/** Whether bindings of the project may be in a namespace: those that are older than backing namespaces are in that of the project's name. */
export function isHomeOf(
  namespace: string | undefined,
  project: Pick<Project, "metadata" | "status">,
): boolean {
  return namespace === backingNamespaceOf(project) || namespace === project.metadata.name;
}
