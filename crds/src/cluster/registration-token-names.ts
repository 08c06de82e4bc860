/** Names around ClusterRegistrationTokens (rancher: pkg/controllers/dashboard/clusterregistrationtoken). */

export const registrationTokenNames = {
  /** Made in the namespace of every cluster, for whoever registers it. */
  defaultToken: "default-token",
  /** Made for the agent that the server deploys itself. */
  systemToken: "system",
  /** The Secret with the value; its name alone proves nothing. */
  secret: (token: string): string => `crt-token-${token}`,
  /** Label of that Secret, "true": by it the server watches these Secrets and no others. */
  secretLabel: "drover.dev/registration-token",
} as const;
