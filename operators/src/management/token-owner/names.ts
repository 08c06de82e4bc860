/** Names that people and programs see. */

/** The controllers; their field managers are `drover-<name>`. */
export const controllerNames = { v3: "token-owner", ext: "ext-token-owner" } as const;
/** What they do to a token, in Events. */
export const deleteAction = "Delete";
/** Reason of Events: a token was deleted because its user is no more. */
export const orphanedReason = "TokenOrphaned";

/** Of tokens and Secrets, by the name of their user. */
export const tokensByUser = "token-owner-user";
