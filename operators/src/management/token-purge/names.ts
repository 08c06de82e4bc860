/** Names that people and programs see. */

/** The controllers; their field managers are `drover-<name>`. */
export const controllerNames = {
  v3: "token-purge",
  ext: "ext-token-purge",
  saml: "saml-token-purge",
} as const;
/** What they do to a token, in Events. */
export const purgeAction = "Purge";

/**
 * Old Ranchers put it on tokens when these were handled by one controller for all clusters; later ones only remove it from tokens that are being
 * deleted (rancher: pkg/controllers/management/auth/token.go).
 */
export const legacyFinalizer = "controller.cattle.io/cat-token-controller";

/** Reasons of Events. */
export const reasons = {
  /** An expired token was deleted, or marked for it while finalizers hold it. */
  expired: "TokenExpired",
  /** Nobody can tell when the token expires. */
  invalid: "InvalidToken",
} as const;

/** Counts deletes that the API server accepted; a token that finalizers hold is counted when it is marked, not when it goes. */
export const purgedMetric = {
  name: "drover_tokens_purged_total",
  help: "Tokens deleted, or marked for deletion, because they had expired; store is v3, ext or saml",
  labels: ["store"],
} as const;
