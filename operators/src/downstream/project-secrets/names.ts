/** Names that people and programs see. */

/** The controller; its field manager is `drover-project-secrets`. */
export const controllerName = "project-secrets";

/** The one that copies pull secrets; its field manager is `drover-pull-secrets`. */
export const pullControllerName = "pull-secrets";

/** "true" on a System project whose namespaces get the pull secrets of the default registry (rancher: pkg/controllers/managementuser/secret). */
export const pullLabel = "management.cattle.io/use-global-private-registry-pull-secret";

/** On a source of pull secrets, and on a copy (rancher: pkg/cluster). */
export const pullSecretLabels = {
  source: "management.cattle.io/rancher-default-registry-pull-secret",
  copy: "management.cattle.io/rancher-managed-pull-secret",
} as const;

/** Reasons of Events about a source Secret. */
export const reasons = {
  /** A namespace has another Secret of the name, which stays as it is. */
  nameTaken: "NameTaken",
  /** The cluster's API server does not take the copy. */
  invalid: "InvalidCopy",
} as const;

/** Indexes. */
export const indexes = {
  /** Sources by the key of their Project. */
  source: "project-secrets.source",
  /** Namespaces by the key of the Project that they are in. */
  member: "project-secrets.member",
  /** Copies by their name. */
  copy: "project-secrets.copy",
  /** System projects by their cluster. */
  system: "project-secrets.system",
  /** "all" for every copy of a pull secret. */
  pull: "project-secrets.pull",
  /** Copies by the name of their project. */
  copyOf: "project-secrets.copy-of",
} as const;
