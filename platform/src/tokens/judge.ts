/** Whether a token lets somebody in (rancher: pkg/auth/requests/authenticate.go). Pure but for the comparison of keys. */

import type { AuthConfig, Token, User } from "@drover/crds";
import { toTimestamp } from "./expiry.ts";
import { verifyKey } from "./hash.ts";
import { readToken, type StoredToken } from "./stored.ts";
import type { TokenValue } from "./value.ts";

/** Why a token does not count. Callers answer 401 for all of them. */
export type TokenRefusal =
  | "unknown"
  | "key"
  | "disabled"
  | "expired"
  | "idle"
  | "user-unknown"
  | "user-disabled"
  | "provider-disabled"
  | "cluster";

/** A sentence for logs; what a stranger is told should not depend on the reason. */
export const refusalTexts: Readonly<Record<TokenRefusal, string>> = {
  unknown: "there is no such token",
  key: "the key is not that of the token",
  disabled: "the token is disabled",
  expired: "the token has expired",
  idle: "the session was idle for too long",
  "user-unknown": "the user of the token is no more",
  "user-disabled": "the user of the token is disabled",
  "provider-disabled": "the authentication provider of the token is disabled",
  cluster: "the token is for another cluster",
};

/** The circumstances under which a token is shown. */
export interface Circumstances {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How long a session may be idle, in milliseconds; 0 or undefined for ever. Setting auth-user-session-idle-ttl-minutes. */
  readonly idleTtl: number | undefined;
  /** The cluster that the request goes to; undefined for the management server itself. */
  readonly clusterName?: string | undefined;
  /** From a cache of users. */
  readonly user: (name: string) => User | undefined;
  /** From a cache of AuthConfigs. */
  readonly provider: (name: string) => AuthConfig | undefined;
}

/**
 * `ok`, or why the token does not count. The key is looked at first, so that whoever does not have it learns nothing else; it is compared in
 * constant time, and costly hashes are computed off the event loop.
 */
export async function judge(
  token: StoredToken | undefined,
  value: TokenValue,
  circumstances: Circumstances,
): Promise<"ok" | TokenRefusal> {
  if (token === undefined || token.store !== value.store || token.name !== value.name) {
    return "unknown";
  }
  const fits = await verifyKey(value.key.reveal(), token.proof.reveal(), token.hashed);
  return fits ? (standing(token, circumstances) ?? "ok") : "key";
}

/** Why a token does not count, whatever its key; undefined if it does. */
export function standing(
  token: StoredToken,
  { now, idleTtl, clusterName = "", user, provider }: Circumstances,
): TokenRefusal | undefined {
  if (!token.enabled) return "disabled";
  if (isExpired(token, now)) return "expired";
  if (isIdle(token, now, idleTtl)) return "idle";
  const owner = user(token.userId);
  if (owner === undefined) return "user-unknown";
  if (owner.enabled === false) return "user-disabled";
  if (!isProviderEnabled(token.provider, provider)) return "provider-disabled";
  if (token.clusterName !== "" && token.clusterName !== clusterName) return "cluster";
  return undefined;
}

/** Whether its time to live is over. */
export function isExpired({ expiry }: StoredToken, now: number): boolean {
  return expiry !== undefined && now >= expiry;
}

/** Whether it is a session that nobody used for too long; one that never told of any activity is not. */
export function isIdle(
  { derived, lastActivitySeen }: StoredToken,
  now: number,
  idleTtl: number | undefined,
): boolean {
  if (derived || lastActivitySeen === undefined || !idleTtl || idleTtl < 0) return false;
  return now > lastActivitySeen + idleTtl;
}

/** The local provider is on unless it is switched off; the others are off unless they are switched on. */
function isProviderEnabled(name: string, provider: Circumstances["provider"]): boolean {
  if (name === "") return true;
  const enabled = provider(name)?.enabled;
  return name === "local" ? enabled !== false : enabled === true;
}

/** What the API says of a token besides what is stored. */
export interface ComputedFields {
  readonly expired: boolean;
  /** RFC 3339; empty if it never ends. */
  readonly expiresAt: string;
  /** Whether it is the token of the request. */
  readonly current: boolean;
}

/** The computed fields of a token, for a request that was made with the token `current` (both v3 and ext have names of their own). */
export function computedFields(
  token: StoredToken,
  { now, current }: { readonly now: number; readonly current: Pick<TokenValue, "store" | "name"> },
): ComputedFields {
  return {
    expired: isExpired(token, now),
    expiresAt: token.expiry === undefined ? "" : toTimestamp(token.expiry),
    current: token.store === current.store && token.name === current.name,
  };
}

/** A Token as the API shows it: computed fields filled in, the key left out. One whose end cannot be told counts as expired. */
export function shownToken(
  { token: _, ...shown }: Token,
  circumstances: Parameters<typeof computedFields>[1],
): Omit<Token, "token"> {
  const stored = readToken(shown);
  const lost = { expired: true, expiresAt: "", current: false };
  return { ...shown, ...(stored ? computedFields(stored, circumstances) : lost) };
}
