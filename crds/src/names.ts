/** Names that objects of this group carry, shared by operators and API: labels, annotations, finalizers, derived names. */

import { createHash } from "node:crypto";

/** The cluster that the server itself runs in, and the namespace of its objects. */
export const localClusterName = "local";

/** The workspace of that cluster. */
export const localWorkspaceName = "fleet-local";

/** Namespace of what the server keeps for itself. */
export const systemNamespace = "cattle-system";

/** Namespace of what all users share; its existence says that the first data are there (rancher: pkg/data/management). */
export const dataNamespace = "cattle-global-data";

/** Label keys. */
export const labels = {
  /** Who installed an object; `rancher` on what upstream generates. */
  managedBy: "app.kubernetes.io/managed-by",
  /** On what the server itself brought when it started; its value says what it is. */
  bootstrapping: "authz.management.cattle.io/bootstrapping",
  /** "true" on the project that takes in namespace `default` of a cluster. */
  defaultProject: "authz.management.cattle.io/default-project",
  /** "true" on the project that takes in the system namespaces of a cluster. */
  systemProject: "authz.management.cattle.io/system-project",
  /** On a namespace: its project, without the cluster; follows the annotation of the same name. */
  projectId: "field.cattle.io/projectId",
  /** "true" on the ClusterRole of a GlobalRole. */
  globalRole: "authz.management.cattle.io/globalrole",
  /** "true" on the ClusterRoleBinding of a GlobalRoleBinding. */
  globalRoleBinding: "authz.management.cattle.io/globalrolebinding",
  /** On roles: the GlobalRole that they were made for, as `safeConcatName` shortens it. */
  globalRoleOwner: "authz.management.cattle.io/gr-owner",
  /** On bindings: the GlobalRoleBinding that they were made for, as `safeConcatName` shortens it. */
  globalRoleBindingOwner: "authz.management.cattle.io/grb-owner",
  /** "true" on a RoleBinding in the namespace of a FleetWorkspace. */
  fleetWorkspacePermissions: "authz.management.cattle.io/fleet-workspace-permissions",
  /** On a token: the name of its user. */
  tokenUserId: "authn.management.cattle.io/token-userId",
  /** On a token: session, kubeconfig, agent, ... */
  tokenKind: "authn.management.cattle.io/kind",
  /** On a token: the name of the kubeconfig that it was made for. */
  kubeconfigId: "authn.management.cattle.io/kubeconfig-id",
  /** On a Secret or ConfigMap that stores an object of ext.cattle.io: its kind, `token` or `kubeconfig`. */
  extKind: "cattle.io/kind",
  /** On a Secret or ConfigMap that stores an object of ext.cattle.io: the name of its user. */
  extUserId: "cattle.io/user-id",
  /** On a user: when it last logged in, in seconds since the epoch, as the next two. */
  lastLogin: "cattle.io/last-login",
  /** On a user: when retention disables it. */
  disableAfter: "cattle.io/disable-after",
  /** On a user: when retention deletes it. */
  deleteAfter: "cattle.io/delete-after",
} as const;

/** Annotation keys. */
export const annotations = {
  /** Name of the user who created the object. */
  creatorId: "field.cattle.io/creatorId",
  /** Principal of the user who created the object. */
  creatorPrincipalName: "field.cattle.io/creator-principal-name",
  /** Skips the creator's role bindings, whatever its value. */
  noCreatorRbac: "field.cattle.io/no-creator-rbac",
  /** On a namespace: `<cluster>:<project>`; the source of truth for its membership. */
  projectId: "field.cattle.io/projectId",
  /** JSON `{"created": [], "required": []}` of role templates. */
  creatorRoleBindings: "authz.management.cattle.io/creator-role-bindings",
  /** On a GlobalRole: the name of its ClusterRole. */
  clusterRoleName: "authz.management.cattle.io/cr-name",
  /** On a GlobalRoleBinding: the name of its ClusterRoleBinding. */
  clusterRoleBindingName: "authz.management.cattle.io/crb-name",
  /** On a binding: how the user is to be called that is made for its principal. */
  principalDisplayName: "auth.cattle.io/principal-display-name",
  /** "true" on a namespace that belongs to the system. */
  systemNamespace: "management.cattle.io/system-namespace",
  /** "true" on a token whose key is stored as a hash. */
  tokenHashed: "authn.management.cattle.io/token-hashed",
  /** On a Cluster: the name of a Secret in `cattle-global-data` with a kubeconfig (key `value`) by which it is imported. */
  kubeconfigSecret: "drover.dev/kubeconfig-secret",
  /** On a Cluster: the uid of its namespace kube-system. Who answers with another one is another cluster, unless a person changes this. */
  clusterUid: "drover.dev/cluster-uid",
} as const;

/** A handler's marks on the objects it looks after. */
export interface LifecycleNames {
  /** Holds the object until the handler has cleaned up. */
  readonly finalizer: string;
  /** Annotation, "true" once the handler's create step is done. */
  readonly created: string;
}

/** Marks of a management controller (norman: lifecycle/object.go). */
export function lifecycleNames(handler: string): LifecycleNames {
  return {
    finalizer: `controller.cattle.io/${handler}`,
    created: `lifecycle.cattle.io/create.${handler}`,
  };
}

/** Marks of a downstream controller on a management object: one set per cluster (norman: lifecycle/object.go). */
export function clusterLifecycleNames(handler: string, cluster: string): LifecycleNames {
  return {
    finalizer: `${clusterFinalizerPrefix}${fitted(handler, cluster)}`,
    created: `lifecycle.cattle.io/create.${handler}_${cluster}`,
  };
}

const clusterFinalizerPrefix = "clusterscoped.controller.cattle.io/";

/** The longest name that a finalizer may have after its prefix. */
const longestFinalizer = 63;

/** `<handler>_<cluster>`, with a hash for the cluster where that is too long; Rancher's would be refused. */
function fitted(handler: string, cluster: string): string {
  const whole = `${handler}_${cluster}`;
  return whole.length <= longestFinalizer ? whole : `${handler}_${hashOf(cluster)}`;
}

/** Whether a finalizer waits for a downstream controller of `cluster`; such ones go when the cluster does. */
export function isClusterFinalizer(finalizer: string, cluster: string): boolean {
  const said = clusterInFinalizer(finalizer);
  return said !== undefined && clusterInFinalizers(cluster).includes(said);
}

/** By what a finalizer tells its cluster: its name, or a hash of one that is too long. Undefined for finalizers of no cluster. For indexes. */
export function clusterInFinalizer(finalizer: string): string | undefined {
  if (!finalizer.startsWith(clusterFinalizerPrefix)) return undefined;
  return finalizer.slice(finalizer.lastIndexOf("_") + 1);
}

/** All that `clusterInFinalizer` may answer for finalizers of the cluster. */
export function clusterInFinalizers(cluster: string): readonly string[] {
  return [cluster, hashOf(cluster)];
}

function hashOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 10);
}

/** The finalizer of a wrangler-style controller (wrangler: pkg/generic). */
export function wranglerFinalizer(handler: string): string {
  return `wrangler.cattle.io/${handler}`;
}

/**
 * Joins ASCII parts with `-` to a name of at most 63 characters, fit for names and labels: a longer one is cut and ends in a
 * hash of the whole (wrangler: pkg/name/name.go).
 */
export function safeConcatName(...parts: readonly string[]): string {
  const whole = parts.join("-");
  if (whole.length < 64) return whole;

  const hash = createHash("sha256").update(whole).digest("hex");
  return /[a-z0-9]/.test(whole.charAt(56))
    ? `${whole.slice(0, 57)}-${hash.slice(0, 5)}`
    : `${whole.slice(0, 56)}-${hash.slice(0, 6)}`;
}

/** Whether an object of most kinds can have the name: a DNS subdomain. Anybody may write a name down somewhere, and what can be none must not get into a path. */
export function isObjectName(text: string): boolean {
  return text.length <= 253 && domain.test(text);
}

const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
