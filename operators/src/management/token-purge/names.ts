/** Names that people and programs see. */

/** The controller. */
export const controllerName = "token-purge";
/** Who writes expiresAt, as managedFields show it. */
export const fieldManager = "drover-token-purge";

/** Reasons of Events. */
export const reasons = {
  /** An expired token was deleted. */
  expired: "TokenExpired",
  /** Nobody can tell when the token expires. */
  invalid: "InvalidToken",
} as const;

/** Counts deleted tokens. */
export const purgedMetric = {
  name: "drover_tokens_purged_total",
  help: "Tokens deleted because they had expired",
  labels: [],
} as const;
