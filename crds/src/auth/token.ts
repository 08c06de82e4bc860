import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";
import type { Principal } from "./principal.ts";

/** Lets somebody in as a user: a login session, an API key or a kubeconfig (rancher: authn_types.go). */
export interface Token extends KubeObject {
  /** Hashed if annotation authn.management.cattle.io/token-hashed is "true", else the plain key. */
  readonly token?: string;
  readonly userPrincipal?: Principal;
  /** @deprecated They are in the UserAttribute. */
  readonly groupPrincipals?: readonly Principal[];
  readonly providerInfo?: Readonly<Record<string, string>>;
  readonly userId?: string;
  readonly authProvider?: string;
  /** Milliseconds from creation to expiry; 0 or less means never. */
  readonly ttl?: number;
  /** RFC 3339, to the second. */
  readonly lastUsedAt?: string;
  /** RFC 3339. */
  readonly activityLastSeenAt?: string;
  /** True for API keys and kubeconfigs, false for login sessions. */
  readonly isDerived?: boolean;
  readonly description?: string;
  /** Computed for each answer of the API; stored values mean nothing. */
  readonly expired?: boolean;
  /** RFC 3339, filled in by the controller; empty if never. */
  readonly expiresAt?: string;
  /** Computed for each answer of the API; stored values mean nothing. */
  readonly current?: boolean;
  /** The only cluster it is good for; empty means all. */
  readonly clusterName?: string;
  /** False refuses it; absent means true. */
  readonly enabled?: boolean;
}

export const Token: Kind<Token> = managementKind("Token", "tokens", "Cluster");
