/** What a reconciler answers: whether and when its key runs again without anything having changed. */

/** An answer. An empty one means: nothing to do until something changes. */
export interface Result {
  /** Milliseconds until the key runs again, of any length; 0 is at once. */
  readonly requeueAfter?: number;
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
