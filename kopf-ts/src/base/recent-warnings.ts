import type { Clock } from "./clock.ts";

/** Milliseconds for which what was said is not said again. */
const PATIENCE = 300_000;
/** Sayings that are remembered; beyond them the oldest is forgotten. */
const MOST = 200;

/**
 * Remembers what was logged a short while ago: where hundreds of objects meet the same trouble, a cluster that does not answer, the first says so, and every
 * five minutes another. Holds no timer; bounded.
 */
export class RecentWarnings {
  readonly #clock: Clock;
  /** When (monotonic) it was said, oldest first. */
  readonly #times = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether this was said less than five minutes ago; else it counts as said now. */
  repeats(what: string): boolean {
    const now = this.#clock.monotonic();
    const last = this.#times.get(what);
    if (last !== undefined && now - last < PATIENCE) return true;
    this.#times.delete(what);
    this.#times.set(what, now);
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size > MOST) this.#times.delete(oldest);
    return false;
  }

  /** It is over: the next time is news. */
  forget(what: string): void {
    this.#times.delete(what);
  }
}
