/** Timers by the time of day, for clocks that can only tell it. */

import type { Clock, Timer } from "./clock.ts";
import { Heap, type HeapItem } from "./heap.ts";

/** Milliseconds between two looks at the time of day: no timer of the platform notices that somebody sets the clock. */
const LOOK = 1_000;
/** Alarms rung in one turn of the event loop: a clock set forward makes all of them due at once. */
const AT_ONCE = 1_000;

interface Alarm extends HeapItem {
  readonly ring: () => void;
}

/**
 * Builds `at` from the rest of a clock. All alarms share one timer: for the first of them, but never longer than a second, and none while
 * there is no alarm. A look that finds nothing due costs the same however many wait.
 */
export function alarms(clock: Pick<Clock, "now" | "monotonic" | "after">): Clock["at"] {
  const all = new Alarms(clock);
  return (time, fn) => all.set(time, fn);
}

class Alarms {
  readonly #clock: Pick<Clock, "now" | "monotonic" | "after">;
  readonly #heap = new Heap<Alarm>();
  #timer: Timer | undefined;
  /** When the timer fires, in monotonic time. */
  #looks = Number.POSITIVE_INFINITY;

  constructor(clock: Pick<Clock, "now" | "monotonic" | "after">) {
    this.#clock = clock;
  }

  set(time: number, ring: () => void): Timer {
    if (Number.isNaN(time)) throw new TypeError("an alarm needs a time, not NaN");
    const alarm: Alarm = { due: time, ring, slot: -1 };
    this.#heap.push(alarm);
    if (this.#heap.peek() === alarm) this.#arm();
    return { cancel: () => this.#cancel(alarm) };
  }

  #cancel(alarm: Alarm): void {
    if (alarm.slot < 0) return;
    this.#heap.remove(alarm);
    if (this.#heap.size === 0) this.#disarm();
  }

  /** A timer that turns out too early (its alarm was cancelled, or the clock set back) only looks and re-arms. */
  #arm(): void {
    const first = this.#heap.peek();
    if (first === undefined) return;
    const wait = Math.min(Math.max(first.due - this.#clock.now(), 0), LOOK);
    const looks = this.#clock.monotonic() + wait;
    if (looks >= this.#looks) return;
    this.#timer?.cancel();
    this.#looks = looks;
    this.#timer = this.#clock.after(wait, () => this.#look());
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#looks = Number.POSITIVE_INFINITY;
  }

  #look(): void {
    this.#disarm();
    const now = this.#clock.now();
    try {
      for (let rung = 0; rung < AT_ONCE; rung += 1) {
        const first = this.#heap.peek();
        if (first === undefined || first.due > now) break;
        this.#heap.remove(first);
        first.ring();
      }
    } finally {
      this.#arm(); // an alarm that throws must not silence the others
    }
  }
}
