/** Names that people and programs see. */

import { type LifecycleNames, lifecycleNames } from "@drover/crds";

/** The controller; its field manager is `drover-cluster-namespaces`. */
export const controllerName = "cluster-namespaces";

/** Rancher's: the finalizer is removed where it is found, the annotation says that a namespace was seen (rancher: pkg/controllers/managementuser/rbac). */
export const marks: LifecycleNames = lifecycleNames("namespace-auth");

/** On a namespace: its ServiceAccount `default` gives no token to Pods that do not ask for one. */
export const noTokenAnnotation = "management.cattle.io/no-default-sa-token";

/** "true" on Secrets that were copied into a namespace because of its project; whoever copies them takes them away, too. */
export const copiedSecretAnnotation = "secret.user.cattle.io/secret";

/** Label of a Rancher before 2.5 on bindings: the uid of the ProjectRoleTemplateBinding. */
export const oldestOwnerKey = "authz.cluster.cattle.io/rtb-owner";

/** Reasons of Events. */
export const reasons = {
  /** The annotation names a project that is not there: the namespace is left as it is. */
  unknownProject: "UnknownProject",
} as const;

/** Indexes. */
export const indexes = {
  /** Namespaces by their annotation projectId. */
  project: "cluster-namespaces.project",
  /** Namespaces of which nobody has said yet that their roles are there, by annotation projectId. */
  pendingIn: "cluster-namespaces.pending-in",
  /** The same by name. */
  pending: "cluster-namespaces.pending",
  /** Namespaces of fleet, under "true". */
  fleet: "cluster-namespaces.fleet",
  /** ClusterRoles about the namespaces of a project, by these. */
  named: "cluster-namespaces.named",
  /** ClusterRoleBindings by `<role>/<user>`. */
  grant: "cluster-namespaces.grant",
  /** RoleBindings that belong to ProjectRoleTemplateBindings, by namespace. */
  owned: "cluster-namespaces.owned",
  /** Projects that take in namespaces by themselves, by `initialKey`. */
  initial: "cluster-namespaces.initial",
  /** ProjectRoleTemplateBindings by projectName. */
  bindings: "cluster-namespaces.bindings",
} as const;

/** Projects that take in namespaces by themselves. */
export type Initial = "default" | "system";

/** The value by which the index `initial` finds such a project of a cluster. */
export function initialKey(cluster: string, which: Initial): string {
  return `${cluster}/${which}`;
}
