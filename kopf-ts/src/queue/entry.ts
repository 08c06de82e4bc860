import type { Appointment } from "./delayed.ts";
import type { Lane } from "./lane.ts";

/** What the queue knows of one key while it is queued, delayed or in work; forgotten keys cost nothing. */
export interface Entry<K> {
  readonly key: K;
  /** Of the pending run. */
  priority: number;
  /** Monotonic time from which the pending run may start, in a lane that of its entry; `never` unless it has one. */
  due: number;
  /** Wall time from which the pending run may start as well; `never` unless it has one. */
  at: number;
  /** While the entry waits for `at`. */
  appointment: Appointment<K> | undefined;
  /** Place in the lane or among the delays. */
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
