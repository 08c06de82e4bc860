/** When a token ends. The rules are Rancher's, but for negative times to live of v3, which never end here as its API says. */

import type { Token } from "@drover/crds";
import { PermanentError } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { extKeys, extText } from "./ext-secret.ts";

/** RFC 3339 has four digits for the year; what would end later never does. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Milliseconds since the epoch at which the token expires; undefined for one that never does (no ttl, 0, or less). Disabled tokens expire
 * like others. Throws a PermanentError for values that only got past a missing validation; it shows none of them, for they may be secret.
 */
export function tokenExpiry({ metadata, ttl: stored }: Token): number | undefined {
  const ttl: unknown = stored ?? 0;
  if (typeof ttl !== "number" || !Number.isInteger(ttl)) {
    const found = typeof ttl === "number" ? "a fraction" : `of type ${typeof ttl}`;
    throw new PermanentError(
      `token ${metadata.name}: ttl must be whole milliseconds, but is ${found}`,
    );
  }
  return ttl <= 0 ? undefined : endOf(metadata, ttl);
}

/** As tokenExpiry, for the Secret of an ext token: there less than 0 never ends, and 0 is over at once (rancher: pkg/ext/stores/tokens). */
export function extTokenExpiry(secret: Secret): number | undefined {
  const text = extText(secret, extKeys.ttl);
  if (!/^-?\d{1,19}$/.test(text)) {
    throw new PermanentError(`ext token ${secret.metadata.name}: ttl is not whole milliseconds`);
  }
  const ttl = Number(text);
  return ttl < 0 ? undefined : endOf(secret.metadata, ttl);
}

/** The time as Rancher writes it: UTC, whole seconds, rounded down (rancher: pkg/auth/tokens/utils.go). */
export function toTimestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch; undefined for what is absent or no time. */
export function fromTimestamp(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function endOf({ name, creationTimestamp }: Token["metadata"], ttl: number): number | undefined {
  const created = fromTimestamp(creationTimestamp);
  if (created === undefined) {
    throw new PermanentError(
      `token ${name}: creationTimestamp is not a time, so its ttl has no start`,
    );
  }
  const end = created + ttl;
  return end > lastInstant ? undefined : end;
}
