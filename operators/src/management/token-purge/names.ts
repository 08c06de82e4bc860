/** Names that people and programs see. */

/** The controller; its field manager is `drover-token-purge`. */
export const controllerName = "token-purge";
/** What it does to a token, in Events. */
export const purgeAction = "Purge";

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
