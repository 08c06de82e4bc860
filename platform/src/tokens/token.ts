/** What a value or a rule means for the Token object. */

import { annotations, labels, Token } from "@drover/crds";
import { apiVersionOf, PermanentError } from "kopf-ts";
import type { Confidential } from "./confidential.ts";
import { hashKey, verifyKey } from "./hash.ts";
import type { TokenValue } from "./value.ts";

/**
 * Whether a v3 token is the one that `value` names and its key fits; whether it still counts (expired, disabled) is another question.
 * Takes as long for a wrong key as for the right one.
 */
export async function verifyToken(token: Token, value: TokenValue): Promise<boolean> {
  if (value.store !== "v3" || value.name !== token.metadata.name) return false;
  return verifyKey(value.key.reveal(), token.token ?? "", isHashed(token));
}

/** Whether the token stores a hash instead of its key. */
export function isHashed(token: Token): boolean {
  return token.metadata.annotations?.[annotations.tokenHashed] === "true";
}

/** The token with its key replaced by a hash; the same object if there is nothing to hash. */
export function withHashedKey(token: Token): Token {
  if (isHashed(token) || token.token === undefined || token.token === "") return token;
  const marked = { ...token.metadata.annotations, [annotations.tokenHashed]: "true" };
  return {
    ...token,
    metadata: { ...token.metadata, annotations: marked },
    token: hashKey(token.token),
  };
}

/** What the system asks for when it makes a token for its own use. */
export interface SystemTokenInput {
  /** Deterministic, so that making it again finds it. May not begin with `token-`, which is for generated names. */
  readonly name: string;
  readonly key: Confidential;
  readonly userId: string;
  /** agent, helm, kubeconfig, ... */
  readonly kind: string;
  readonly description: string;
  /** Milliseconds; an hour if absent. */
  readonly ttl?: number;
}

const hour = 3_600_000;

/** A token for the system's own use (rancher: pkg/systemtokens). Throws a PermanentError for a name that belongs to generated ones. */
export function systemToken(input: SystemTokenInput): Token {
  const { name, key, userId, kind, description, ttl = hour } = input;
  if (name.startsWith("token-")) {
    throw new PermanentError("the name of a system token must not begin with token-");
  }
  return {
    apiVersion: apiVersionOf(Token),
    kind: Token.kind,
    metadata: { name, labels: { [labels.tokenUserId]: userId, [labels.tokenKind]: kind } },
    token: key.reveal(),
    userId,
    description,
    ttl,
    authProvider: "local",
    isDerived: true,
  };
}

/** The name, or its beginning, of a user's kubeconfig tokens; those of one cluster have names of their own. */
export function kubeconfigTokenName(userId: string, cluster?: string): string {
  const scope = cluster === undefined || cluster === "" ? "" : `.${cluster}`;
  return `kubeconfig-${userId}${scope}`;
}
