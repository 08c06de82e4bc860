/** What a reconciler answers: whether and when its key runs again without anything having changed. */

/** An answer. An empty one means: nothing to do until something changes. With both times, the key runs again at the earlier one. */
export interface Result {
  /** Milliseconds until the key runs again, of any length; 0 is at once. */
  readonly requeueAfter?: number;
  /** Wall time of the next run in milliseconds since the epoch; one that has passed is at once. */
  readonly requeueAt?: number;
  /** Of that run; as urgent as the present one unless told. */
  readonly priority?: number;
}

/** Nothing to do until something changes. */
export const done: Result = Object.freeze({});

/** Runs the key again after `delay` milliseconds, at once when that lies in the past. Throws a TypeError for what is no finite number. */
export function requeueAfter(delay: number, options: Pick<Result, "priority"> = {}): Result {
  if (!Number.isFinite(delay)) throw new TypeError(`requeueAfter needs milliseconds, not ${delay}`);
  return { ...options, requeueAfter: Math.max(0, delay) };
}

/**
 * Runs the key again at a wall time (milliseconds since the epoch), at once when that has passed: for what has a date. Never before it, a
 * few milliseconds after it, or up to a second when the clock was set forward or the machine slept; a clock that is set back makes it wait
 * for the new time. Throws a TypeError for what is no finite number, as the time of an invalid date.
 */
export function requeueAt(time: number, options: Pick<Result, "priority"> = {}): Result {
  if (!Number.isFinite(time)) throw new TypeError(`requeueAt needs a time, not ${time}`);
  return { ...options, requeueAt: time };
}

/** Whether the answer asks for another run. */
export function asksForMore(result: Result | undefined): result is Result {
  return result?.requeueAfter !== undefined || result?.requeueAt !== undefined;
}
