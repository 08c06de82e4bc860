/** When a token expires. The rules are Rancher's, but for negative times to live, which never end here as its API says. */

import type { Token } from "@drover/crds";
import { escapeControls, PermanentError } from "kopf-ts";

/** RFC 3339 has four digits for the year; what would expire later never does. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Milliseconds since the epoch at which the token expires; undefined for one that never does (no ttl, 0, or less). Disabled tokens expire
 * like others. Throws a PermanentError for values that only got past a missing validation; it shows none of them, for they may be secret.
 */
export function expiryOf(token: Token): number | undefined {
  const { name, creationTimestamp } = token.metadata;
  const ttl: unknown = token.ttl ?? 0;
  if (typeof ttl !== "number" || !Number.isInteger(ttl)) {
    const found = typeof ttl === "number" ? "a fraction" : `of type ${typeof ttl}`;
    throw new PermanentError(`token ${name}: ttl must be whole milliseconds, but is ${found}`);
  }
  if (ttl <= 0) return undefined;

  const created = Date.parse(creationTimestamp ?? "");
  if (Number.isNaN(created)) {
    throw new PermanentError(
      `token ${name}: creationTimestamp is not a time, so its ttl has no start`,
    );
  }
  const expiry = created + ttl;
  return expiry > lastInstant ? undefined : expiry;
}

/** The time as Rancher writes it into expiresAt: UTC, whole seconds, rounded down (rancher: pkg/auth/tokens/utils.go). */
export function toExpiresAt(expiry: number): string {
  return `${new Date(expiry).toISOString().slice(0, 19)}Z`;
}

/** Characters of a user's id that are shown; Rancher's have some twenty. */
const longestUser = 128;

/** Whose token it is, for people: in one line, and cut. Undefined when it does not say, or not in a text. */
export function shownUser({ userId }: { readonly userId?: unknown }): string | undefined {
  if (typeof userId !== "string" || userId === "") return undefined;
  const characters = Array.from(userId.slice(0, 2 * longestUser))
    .slice(0, longestUser)
    .join("");
  return escapeControls(characters) + (characters.length < userId.length ? "..." : "");
}
