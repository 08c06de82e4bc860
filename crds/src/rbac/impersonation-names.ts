/** Names of the accounts through which requests of users reach a managed cluster (rancher: pkg/impersonation). */

/** Where the accounts are. */
export const impersonationNamespace = "cattle-impersonation-system";

/** "true" on the namespace and on all that belongs to an account. */
export const impersonatorLabel = "authz.cluster.cattle.io/impersonator";

const prefix = "cattle-impersonation-";

/** The name of a user's ServiceAccount, and of its ClusterRole and ClusterRoleBinding. */
export function impersonatorName(user: string): string {
  return `${prefix}${user}`;
}

/** The user that an account of this name is for; undefined for any other name. */
export function impersonatedUser(name: string): string | undefined {
  return name.startsWith(prefix) && name.length > prefix.length
    ? name.slice(prefix.length)
    : undefined;
}
