import { systemClock } from "../base/index.ts";

/** How long `eventually` waits, in milliseconds. */
export interface EventuallyOptions {
  readonly within?: number;
  /** What is waited for; for the message when it does not come. */
  readonly what?: string;
}

/**
 * Waits until `look` returns something else than undefined or false, and resolves with it. Rejects after `within` (10 s unless told: it is no measure of speed, and machines
 * that build things are slow), with what `look` threw last if it threw. Give the test itself a longer limit, else that comes first and does not say what was waited for.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  { within = 10_000, what = String(look) }: EventuallyOptions = {},
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
      throw new Error(`not within ${within} ms: ${what}`, { cause });
    await systemClock.sleep(5);
  }
}
