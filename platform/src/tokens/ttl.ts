/** Times to live of tokens, in milliseconds (rancher: pkg/auth/tokens/manager.go, pkg/ext/stores/tokens). */

import { PermanentError } from "kopf-ts";

/** What the settings say, in milliseconds; 0 or less is no limit for both. */
export interface TtlLimits {
  /** For tokens that ask for nothing: auth-token-default-ttl-minutes, kubeconfig-default-token-ttl-minutes. */
  readonly standard: number;
  /** The most that any token gets: auth-token-max-ttl-minutes, kubeconfig-max-token-ttl-minutes. */
  readonly maximum: number;
}

/** Go counts a duration in 63 bits of nanoseconds, 292 years; more would wrap around there and be over at once. */
const longest = 9_223_372_036_854;

/**
 * The time to live a token gets; 0 means it never ends, as v3 tokens write it. 0 asks for the standard, less than 0 for no end; nothing gets
 * more than the maximum. Throws a PermanentError for what is no whole number.
 */
export function clampTtl(requested: number, { standard, maximum }: TtlLimits): number {
  if (!Number.isInteger(requested)) {
    throw new PermanentError("ttl must be a whole number of milliseconds");
  }
  const wanted = endOf(requested === 0 ? standard : requested);
  const given = Math.min(wanted, endOf(maximum));
  return given === Number.POSITIVE_INFINITY ? 0 : given;
}

/** Like clampTtl for a token that exists: its time to live (0: no end) may shrink, and an update that asks for more changes nothing. */
export function shrinkTtl(current: number, requested: number, limits: TtlLimits): number {
  const wanted = clampTtl(requested, limits);
  return endOf(wanted) < endOf(current) ? wanted : current;
}

/** A time to live as ext.cattle.io writes it: there -1 never ends, and 0 would be over at once. */
export function toExtTtl(ttl: number): number {
  return ttl <= 0 ? -1 : ttl;
}

/** Puts "never" where it belongs in an order. Settings may be fractions of a minute, and those of a millisecond are rounded. */
function endOf(ttl: number): number {
  return ttl <= 0 || ttl > longest ? Number.POSITIVE_INFINITY : Math.max(1, Math.round(ttl));
}
