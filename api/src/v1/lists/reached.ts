/** Lists at least as new as somebody has seen already. */

import type { Cache } from "kopf-ts";

/** Milliseconds to wait for a revision that others have seen and this replica has not. */
const patience = 2000;

/** Waits a little until a cache has come to a revision, a whole number; false when it does not. There is none below 1 to wait for. Rejects with the signal's reason. */
export async function hasReached(
  cache: Cache,
  revision: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (revision === undefined) return true;
  const wanted = BigInt(revision);
  return wanted <= 0n || (await cache.waitFor(String(wanted), { timeout: patience, signal }));
}
