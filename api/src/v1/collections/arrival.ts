/** How somebody waits for a cache that is not there yet. */

import type { Clock, Latch, WatchState } from "kopf-ts";
import { type Problem, problem } from "../problem.ts";

/** Reasons that do not pass by waiting. */
const refusals: ReadonlySet<string> = new Set([
  ...["Forbidden", "NotFound", "MethodNotAllowed", "Unauthorized", "Closed"],
]);

/** Milliseconds between two looks at what the watch says. */
const GLANCE = 50;
/** How long a refusal may be one of a moment ago; milliseconds. */
const SETTLING = 500;

/** What is waited for. */
export interface Awaited {
  readonly name: string;
  /** Opens when everything is there. */
  readonly arrived: Latch;
  /** What the watch says meanwhile. */
  readonly state: () => WatchState;
}

/** Resolves when it is there. Rejects with a Problem (503) that says why not, at once where waiting is of no use; with the signal's reason when that aborts. */
export async function arrival(
  { name, arrived, state }: Awaited,
  { clock, patience, signal }: { clock: Clock; patience: number; signal: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const since = clock.monotonic();
  const glance = (): void => {
    const waited = clock.monotonic() - since;
    const isHopeless = waited >= SETTLING && isRefused(state());
    if (waited >= patience || isHopeless) over.abort(unavailable(name, state(), patience));
    else timer = clock.after(Math.min(GLANCE, patience - waited), glance);
  };
  let timer = clock.after(Math.min(GLANCE, patience), glance);
  try {
    await arrived.wait(AbortSignal.any([signal, over.signal]));
  } finally {
    timer.cancel();
  }
}

/** Whether the server refuses to list. */
export function isRefused(state: WatchState): boolean {
  return state.phase === "degraded" && refusals.has(state.reason);
}

/** Says why a type is not there; what the server said in full is in the log. */
function unavailable(name: string, state: WatchState, patience: number): Problem {
  const why = state.phase === "degraded" ? state.reason : `no list within ${patience / 1000} s`;
  return problem("ClusterUnavailable", `${name} cannot be listed: ${why}`);
}
