import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** Lets agents register with the cluster named like its namespace. */
export interface ClusterRegistrationToken extends KubeObject {
  readonly spec?: ClusterRegistrationTokenSpec;
  readonly status?: ClusterRegistrationTokenStatus;
}

export const ClusterRegistrationToken: Kind<ClusterRegistrationToken> = managementKind(
  "ClusterRegistrationToken",
  "clusterregistrationtokens",
  "Namespaced",
);

/** What is wanted of a registration token. Both times are minutes; absent follows the settings. */
export interface ClusterRegistrationTokenSpec {
  readonly clusterName?: string;
  /** Minutes until the value is replaced; 0 or less means never. */
  readonly ttl?: number;
  /** Minutes for which the replaced value still works. */
  readonly gracePeriod?: number;
}

/** Commands with a literal `{token}` in them, where the value belongs that is in the Secret. */
export interface ClusterRegistrationTokenStatus {
  readonly command?: string;
  readonly insecureCommand?: string;
  readonly nodeCommand?: string;
  readonly insecureNodeCommand?: string;
  readonly windowsNodeCommand?: string;
  readonly insecureWindowsNodeCommand?: string;
  readonly manifestUrl?: string;
  /** @deprecated Always cleared; the value is in the Secret. */
  readonly token?: string;
  readonly tokenSecretName?: string;
  /** RFC 3339. */
  readonly expiresAt?: string;
  /** RFC 3339. */
  readonly gracePeriodExpiresAt?: string;
}
