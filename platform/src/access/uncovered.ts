import { coversInSteps, type PolicyRule, type Uncovered } from "@drover/crds";

/**
 * As `covers`, but lets others have the process every few milliseconds: rules that somebody wrote may take a second to compare. Rejects with the signal's reason, and
 * with RulesTooLargeError.
 */
export async function uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  signal: AbortSignal,
): Promise<Uncovered> {
  const steps = coversInSteps(held, wanted);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await new Promise(setImmediate);
    signal.throwIfAborted();
  }
}
