/** Names that people and programs see. */

/** The controller; its field manager is `drover-project-secrets`. */
export const controllerName = "project-secrets";

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
  /** Copies by the name of their project. */
  copyOf: "project-secrets.copy-of",
} as const;
