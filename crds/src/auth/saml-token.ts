import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** Hands the token of a SAML login to the command line that waits for it; lives 15 minutes at most. */
export interface SamlToken extends KubeObject {
  readonly token?: string;
  /** RFC 3339. */
  readonly expiresAt?: string;
}

export const SamlToken: Kind<SamlToken> = managementKind("SamlToken", "samltokens", "Namespaced");
