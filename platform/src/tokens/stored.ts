/** Tokens of both stores as one thing, for whoever lets people in. */

import type { Principal, Token } from "@drover/crds";
import { labels } from "@drover/crds";
import type { Cache } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { Confidential } from "./confidential.ts";
import { extTokenExpiry, fromTimestamp, tokenExpiry } from "./expiry.ts";
import { extTokenNamespace } from "./ext-secret.ts";
import { type ExtToken, parseExtToken, sessionKind } from "./ext-token.ts";
import { isHashed } from "./token.ts";
import type { TokenValue } from "./value.ts";

/** A token as it is stored. Showing or logging it shows no key and no hash. Times are milliseconds since the epoch. */
export interface StoredToken {
  readonly store: TokenValue["store"];
  readonly name: string;
  /** Of the stored object: a Token or a Secret. */
  readonly uid: string;
  readonly userId: string;
  readonly principal: Principal | undefined;
  /** Name of the authentication provider; empty in tokens of old. */
  readonly provider: string;
  /** session, kubeconfig, agent, ...; empty in tokens of old. */
  readonly kind: string;
  /** False for login sessions. */
  readonly derived: boolean;
  readonly enabled: boolean;
  /** The only cluster it is good for; empty for all. */
  readonly clusterName: string;
  /** Undefined if it never ends. */
  readonly expiry: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly lastActivitySeen: number | undefined;
  /** The key, or its hash if `hashed`. */
  readonly proof: Confidential;
  readonly hashed: boolean;
}

/** Where tokens are looked up. Secrets need only be those that `extTokenSelector` selects. */
export interface TokenSources {
  readonly tokens: Pick<Cache<Token>, "get">;
  readonly secrets: Pick<Cache<Secret>, "get">;
}

/** The token that a value names, from caches alone; undefined when there is none that can be read, or it is being deleted. */
export function findToken(
  { store, name }: Pick<TokenValue, "store" | "name">,
  { tokens, secrets }: TokenSources,
): StoredToken | undefined {
  if (store === "v3") {
    const token = tokens.get(name);
    return token && readToken(token);
  }
  const secret = secrets.get(`${extTokenNamespace}/${name}`);
  return secret && readExtToken(secret);
}

/** A Token as it counts; undefined when its end cannot be told, or it is being deleted. */
export function readToken(token: Token): StoredToken | undefined {
  const end = endOf(token, tokenExpiry);
  if (end === undefined) return undefined;
  const { name, uid = "", labels: marks } = token.metadata;
  return {
    ...end,
    store: "v3",
    name,
    uid,
    userId: textOf(token.userId),
    principal: token.userPrincipal,
    provider: textOf(token.authProvider),
    kind: marks?.[labels.tokenKind] ?? "",
    derived: token.isDerived === true,
    enabled: token.enabled !== false,
    clusterName: textOf(token.clusterName),
    lastUsedAt: fromTimestamp(token.lastUsedAt),
    lastActivitySeen: fromTimestamp(token.activityLastSeenAt),
    proof: new Confidential(textOf(token.token)),
    hashed: isHashed(token),
  };
}

/** As readToken, for the Secret of an ext token. */
export function readExtToken(secret: Secret): StoredToken | undefined {
  const token = parseExtToken(secret);
  const end = endOf(secret, extTokenExpiry);
  if (token === undefined || end === undefined) return undefined;
  return { ...end, ...ofExt(token), uid: secret.metadata.uid ?? "" };
}

function ofExt(token: ExtToken): Omit<StoredToken, "expiry" | "uid"> {
  const { name, userId, kind, enabled, clusterName, lastUsedAt, lastActivitySeen } = token;
  const { name: id, ...principal } = token.principal;
  return {
    store: "ext",
    name,
    userId,
    principal: { ...principal, metadata: { name: id } },
    provider: principal.provider,
    kind,
    derived: kind !== sessionKind,
    enabled,
    clusterName,
    lastUsedAt,
    lastActivitySeen,
    proof: token.hash,
    hashed: true,
  };
}

/** Where CRDs have no schema, anything may be stored. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Undefined, so that nobody is let in, rather than an error that every caller would have to expect. */
function endOf<T extends Token | Secret>(
  object: T,
  expiryOf: (object: T) => number | undefined,
): Pick<StoredToken, "expiry"> | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  try {
    return { expiry: expiryOf(object) };
  } catch {
    return undefined;
  }
}
