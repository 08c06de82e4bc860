/** Labels and annotations of Secrets that a project shares with its namespaces (rancher: pkg/controllers/managementuser/secret). */

/** Label keys. */
export const projectSecretLabels = {
  /** On a Secret in a project's own namespace, and on its copies: the name of the project. */
  project: "management.cattle.io/project-scoped-secret",
  /** Beside it: the cluster of the project. */
  cluster: "management.cattle.io/project-scoped-secret-cluster",
} as const;

/** Annotation keys. */
export const projectSecretAnnotations = {
  /** "true" on a copy: it is ours to change and to delete. */
  copy: "management.cattle.io/project-scoped-secret-copy",
  /** "true" on a copy, for older programs. */
  userSecret: "secret.user.cattle.io/secret",
  /** On a source: namespaces that get no copy, by name or pattern, separated by commas. */
  ignoreNamespaces: "management.cattle.io/project-scoped-secret-ignore-namespaces",
} as const;
