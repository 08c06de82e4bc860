/** How long the API server waits. */

import { parseDuration } from "../../base/index.ts";

/** Milliseconds that a webhook has when the API server does not say. */
const usual = 10_000;
/** No API server waits longer (api: admissionregistration/v1, timeoutSeconds). */
const longest = 30_000;
/** Our own answer must arrive before the API server gives up, or people read of a connection instead of a reason. */
const lead = 500;

/** Milliseconds for the answer, from the `timeout` that the API server adds to the URL as Go writes durations (`10s`, `1m30s`). */
export function limitOf(timeout: string | null): number {
  const told = parseDuration(timeout ?? "") ?? 0;
  const limit = Math.min(told > 0 ? told : usual, longest);
  return limit - Math.min(lead, limit / 10);
}
