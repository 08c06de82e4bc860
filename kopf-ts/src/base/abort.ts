/** What AbortSignals lack. */

/** A signal that never aborts, for work that ends some other way. */
export const never: AbortSignal = new AbortController().signal;

/**
 * Resolves when the signal aborts; at once if it has. Until then a listener stays on the signal (`never` gets none), so wait for one that lives
 * no longer than the waiter.
 */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else if (signal !== never) signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
