// Waiting: the only place of this workspace that sets a timer (it lies below base/clock).
import { setTimeout as sleep } from "node:timers/promises";

/** How long and how often `until` looks; milliseconds. */
export interface WaitOptions {
  readonly timeout: number;
  readonly every?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves with the first value of `probe` that is not `undefined`; rejects after `timeout` with what
 * was awaited, naming the last error the probe threw. An abort rejects with the signal's reason.
 */
export async function until<T>(
  what: string,
  probe: () => T | undefined | Promise<T | undefined>,
  { timeout, every = 25, signal }: WaitOptions,
): Promise<T> {
  const deadline = performance.now() + timeout;
  for (let cause: unknown; ; ) {
    signal?.throwIfAborted();
    try {
      const value = await probe();
      if (value !== undefined) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw timedOut(what, timeout, cause);
    await pause(every, signal);
  }
}

/** Sleeps for `ms`; an abort rejects with the signal's reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Resolves `true` when `promise` settles within `ms`, `false` when it does not. */
export async function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const done = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    timer.abort();
  }
}

/** Calls `beat` every `ms` until the returned function is called; keeps no process alive. */
export function heartbeat(ms: number, beat: () => void): () => void {
  const timer = setInterval(beat, ms);
  timer.unref();
  return () => clearInterval(timer);
}

function timedOut(what: string, timeout: number, cause: unknown): Error {
  const last = cause instanceof Error ? `: ${cause.message}` : "";
  return new Error(`${what} took longer than ${timeout / 1000} s${last}`, { cause });
}
