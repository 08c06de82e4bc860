import { type Clock, exponential, fullJitter } from "../base/index.ts";
import type { WatchTiming } from "./timing.ts";

/**
 * Waits between attempts: doubling, each drawn at random from a value to its double, all between `backoffMin` and `backoffMax`. After
 * `backoffReset` without a failure they begin at the minimum again.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #timing: WatchTiming;
  readonly #random: () => number;
  #attempt = 0;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, timing: WatchTiming, random: () => number = Math.random) {
    this.#clock = clock;
    this.#timing = timing;
    this.#random = random;
  }

  /** Failures in a row, none of them followed by health. */
  get failures(): number {
    return this.#attempt;
  }

  /** The next wait is a shortest one. */
  reset(): void {
    this.#attempt = 0;
  }

  /** Milliseconds to wait after the failure that happened now. */
  next(): number {
    const { backoffMin: min, backoffMax, backoffReset } = this.#timing;
    const now = this.#clock.monotonic();
    if (now - this.#failedAt > backoffReset) this.#attempt = 0;
    const base = exponential(this.#attempt++, { min, max: backoffMax / 2 });
    const delay = fullJitter(base, this.#random);
    this.#failedAt = now + delay;
    return delay;
  }
}
