import type { Lane } from "./lane.ts";

/** What the queue knows of one key while it is queued, delayed or in work; forgotten keys cost nothing. */
export interface Entry<K> {
  readonly key: K;
  /** Of the pending run. */
  priority: number;
  /** Monotonic time from which the pending run may start, in a lane that of its entry; `never` while none is pending. */
  due: number;
  /** Place in the lane or in the delay heap. */
  slot: number;
  /** The lane it stands in while it waits for a worker. */
  lane: Lane<K> | undefined;
  /** When a worker took it; `never` unless it is in work. */
  started: number;
  /** Priority of the run in work. */
  running: number;
}

/** Later than any time. */
export const never: number = Number.POSITIVE_INFINITY;
