/** Names that people and programs see. */

/** The task. */
export const taskName = "service-account-token-cleaner";

/** Where tokens for impersonation are. */
export const impersonationNamespace = "cattle-impersonation-system";

/** The feature that has it cleaned. */
export const featureName = "clean-stale-secrets";
