/** Which failed attempts are repeated, and when. Pure. */

import { exponential, fullJitter } from "../../base/index.ts";
import { LONGEST_WAIT } from "../status.ts";

/** Why an attempt failed. */
export interface Failure {
  /** HTTP status; 0 when no answer came. */
  readonly code: number;
  /** Whether any byte of the request can have reached the server. */
  readonly sent: boolean;
  /** Whether the connection failed in a way that can pass: refused, reset, closed, no route, name server busy. */
  readonly transient: boolean;
  /** Milliseconds, as the server asked. */
  readonly retryAfter: number | undefined;
}

/** Attempts beyond the first while the server names its own delays (client-go: rest/with_retry.go, maxRetries). */
const ASKED_RETRIES = 10;
/** Attempts beyond the first when nobody named a delay: about 1.5 to 3 s in all, so that a server that is away is told soon. */
const OWN_RETRIES = 4;

/**
 * Milliseconds until the next attempt, undefined for none. `safe` says that a repetition does no harm even if the first attempt was carried
 * out. A request that is not safe is repeated only when it surely was not: nothing was sent, or the server turned it away (429, or
 * 503 with a Retry-After; client-go repeats all requests then, too: rest/with_retry.go).
 */
export function retryDelay(
  failure: Failure,
  attempt: number,
  safe: boolean,
  random?: () => number,
): number | undefined {
  const { code, retryAfter, sent, transient } = failure;
  if (!(safe || wasNotDone(failure)) || !(code === 0 ? transient : isBusy(code))) return undefined;
  if (retryAfter !== undefined && retryAfter > 0)
    return attempt < ASKED_RETRIES ? retryAfter : undefined;
  if (attempt >= OWN_RETRIES) return undefined;
  if (code === 0 && sent && attempt === 0) return 0; // a kept connection that the server had already given up
  return fullJitter(exponential(attempt, { min: 100, max: 1_000 }), random);
}

function wasNotDone({ code, retryAfter, sent }: Failure): boolean {
  if (code === 0) return !sent;
  return code === 429 || (code === 503 && retryAfter !== undefined);
}

function isBusy(code: number): boolean {
  return code === 429 || code === 500 || code === 502 || code === 503 || code === 504;
}

/** Milliseconds a Retry-After header asks for, 5 minutes at most: delta seconds or an HTTP date; undefined when it says neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const isSeconds = /^\s*\d+\s*$/.test(value);
  const wait = isSeconds ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), LONGEST_WAIT);
}

const transientCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EAI_AGAIN",
  "UND_ERR_CLOSED",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
]);

/** Whether a lost connection may come back by itself. */
export function isTransient(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const code = "code" in cause ? cause.code : undefined;
  return typeof code === "string" && transientCodes.has(code);
}
