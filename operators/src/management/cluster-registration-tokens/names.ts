/** Names that people and programs see. */

/** The controllers; their field managers have the prefix `drover-`. */
export const controllerNames = {
  tokens: "cluster-registration-tokens",
  readers: "registration-token-readers",
  defaults: "default-registration-tokens",
} as const;

/** Reasons of Events. */
export const reasons = {
  /** A new value replaced the old one. */
  rotated: "TokenRotated",
  /** A Secret stands where ours should, and does not refer to the token. */
  nameTaken: "NameTaken",
  /** No Secret can have the name that follows from the token's. */
  nameTooLong: "NameTooLong",
} as const;

/** Label of the Role that reads the Secrets; its value is the namespace. */
export const readerLabel = "drover.dev/registration-token-reader";

/** Index of ClusterRegistrationTokens by namespace. */
export const byNamespace = "cluster-registration-tokens.namespace";
