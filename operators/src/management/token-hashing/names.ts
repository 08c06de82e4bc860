/** Names that people and programs see. */

/** The controller; its field manager is `drover-token-hashing`. */
export const controllerName = "token-hashing";

/** Of tokens that store their key as it is: byIndex(plainTokens, plain). */
export const plainTokens = "plain-tokens";
/** The value of that index. */
export const plain = "plain";

/** Counts tokens whose key was replaced by its hash. */
export const hashedMetric = {
  name: "drover_tokens_hashed_total",
  help: "Tokens that stored their key and now store its hash",
  labels: [],
} as const;
