/** The only place that touches timers and the time of day; tests pass a clock they can step. */

import { alarms } from "./alarms.ts";

/** A pending callback; cancelling twice is harmless. */
export interface Timer {
  cancel(): void;
}

/** Time as a dependency. All numbers are milliseconds. */
export interface Clock {
  /** Wall time since the Unix epoch; may jump when somebody sets the clock. */
  now(): number;
  /** Never runs backwards and ignores clock changes; only differences mean something. */
  monotonic(): number;
  /** Calls `fn` once after `delay` of monotonic time; any finite delay works, also beyond 2^31. */
  after(delay: number, fn: () => void): Timer;
  /**
   * Calls `fn` once, when wall time has reached `time` and never before: within a few milliseconds, or within a second when the clock was
   * set forward or the machine slept. A clock that is set back makes it wait for the new time. Any time works; one that has passed is now.
   */
  at(time: number, fn: () => void): Timer;
  /** Resolves after `delay`; rejects with the signal's reason when it aborts first. */
  sleep(delay: number, signal?: AbortSignal): Promise<void>;
}

/** setTimeout fires at once for delays beyond this. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

function after(delay: number, fn: () => void): Timer {
  const due = performance.now() + delay;
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const left = due - performance.now();
    handle = setTimeout(
      left > LONGEST_TIMEOUT ? arm : fn,
      Math.min(Math.max(left, 0), LONGEST_TIMEOUT),
    );
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}

/** Builds `sleep` from `after`, so that a clock only has to know how to call back. */
export function sleeper(start: Clock["after"]): Clock["sleep"] {
  return (delay, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = start(delay, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
}

const now = (): number => Date.now();
const monotonic = (): number => performance.now();

/** The machine's clock. A clock that differs from it in `now` needs an `at` of its own as well: see `alarms`. */
export const systemClock: Clock = {
  now,
  monotonic,
  after,
  at: alarms({ now, monotonic, after }),
  sleep: sleeper(after),
};
