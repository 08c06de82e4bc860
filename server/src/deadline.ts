/** Time that a command gives to something. */

import { systemClock, type Timer } from "kopf-ts";

/** Milliseconds that a cluster gets to answer a request of a command. */
export const patience = 10_000;

/** A signal that aborts after a while, unless this is disposed before. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** Aborts after `time` milliseconds with an Error that says why, or with `outer`. */
export function deadline(time: number, why: string, outer?: AbortSignal): Deadline {
  const own = new AbortController();
  const timer = systemClock.after(time, () => own.abort(new Error(why)));
  const signal = outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]);
  return { signal, [Symbol.dispose]: () => timer.cancel() };
}

/** As `deadline`, for what `--timeout` bounds. */
export function timeoutOf(time: number): Deadline {
  return deadline(time, `the ${time / 1000} s of --timeout are over`);
}

/** Milliseconds for work whose time is over to say what it waited for. */
const grace = 500;

/** The work; or the signal's reason, where the work does not heed the signal: its outcome then matters to nobody. */
export async function within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: over, reject } = Promise.withResolvers<never>();
  let timer: Timer | undefined;
  const leave = (): void => {
    timer = systemClock.after(grace, () => reject(signal.reason));
  };
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work(), over]);
  } finally {
    signal.removeEventListener("abort", leave);
    timer?.cancel();
  }
}
