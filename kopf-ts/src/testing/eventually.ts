import { systemClock } from "../base/index.ts";

/** How long `eventually` waits, in milliseconds. */
export interface EventuallyOptions {
  readonly within?: number;
  /** What is waited for; for the message when it does not come. */
  readonly what?: string;
}

/**
 * Waits until `look` returns something else than undefined or false, and resolves with it. Rejects after `within` (1,500 ms unless told: shorter than what holds things
 * up when something is wrong), and says what `look` threw last if it threw.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  { within = 1_500, what = String(look) }: EventuallyOptions = {},
): Promise<Exclude<T, undefined | false>> {
  const end = systemClock.monotonic() + within;
  let cause: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
      cause = undefined;
    } catch (thrown) {
      cause = thrown;
    }
    if (systemClock.monotonic() > end)
      throw new Error(`not within ${within} ms: ${what}${lastOf(cause)}`, { cause });
    await systemClock.sleep(5);
  }
}

function lastOf(cause: unknown): string {
  return cause === undefined ? "" : `; at last: ${cause instanceof Error ? cause.message : cause}`;
}
