import { type Clock, sleeper, type Timer } from "../base/index.ts";

/** A timer that waits for its time, by one clock or the other. */
interface Pending {
  readonly clock: "monotonic" | "wall";
  readonly due: number;
  readonly fn: () => void;
}

/**
 * A clock that stands still until a test moves it. Wall time and monotonic time are apart, as they are in the world: `advance` moves
 * both, `setNow` only the time of day, as when somebody sets the machine's clock or the machine sleeps.
 */
export class FakeClock implements Clock {
  readonly sleep: Clock["sleep"] = sleeper((delay, fn) => this.after(delay, fn));
  #now: number;
  #monotonic = 0;
  readonly #pending = new Set<Pending>();

  constructor(now: number) {
    this.#now = now;
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#pending.size;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(delay: number, fn: () => void): Timer {
    return this.#add({ clock: "monotonic", due: this.#monotonic + Math.max(0, delay), fn });
  }

  at(time: number, fn: () => void): Timer {
    if (Number.isNaN(time)) throw new TypeError("an alarm needs a time, not NaN");
    return this.#add({ clock: "wall", due: time, fn });
  }

  /**
   * Lets `duration` milliseconds pass: runs what comes due, in order and each at its own time, and between any two lets promises and
   * callbacks that are ready run to where they wait again. Timers they set are run as well when they fall into the duration.
   */
  async advance(duration: number): Promise<void> {
    const end = this.#monotonic + duration;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#pending.delete(next);
      this.#moveTo(this.#dueOf(next));
      if (next.clock === "wall") this.#now = Math.max(this.#now, next.due); // whatever rounding left
      next.fn();
      await settle();
    }
    this.#moveTo(end);
  }

  /** Sets the time of day. No timer runs for it, and an alarm (`at`) that it makes due runs when the clock is next advanced. */
  setNow(now: number): void {
    this.#now = now;
  }

  /** The first timer due by `end`; timers of the same time in the order they were set. */
  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (const timer of this.#pending) {
      const due = this.#dueOf(timer);
      if (due > end || due >= earliest) continue;
      first = timer;
      earliest = due;
    }
    return first;
  }

  /** In monotonic time, as long as nobody sets the time of day. */
  #dueOf({ clock, due }: Pending): number {
    return clock === "monotonic" ? due : this.#monotonic + Math.max(0, due - this.#now);
  }

  #add(timer: Pending): Timer {
    this.#pending.add(timer);
    return { cancel: () => this.#pending.delete(timer) };
  }

  #moveTo(monotonic: number): void {
    this.#now += Math.max(0, monotonic - this.#monotonic);
    this.#monotonic = Math.max(this.#monotonic, monotonic);
  }
}

/** A clock that begins at `now` (milliseconds or a date) and moves only when told to. */
export function fakeClock(now: number | string = "2025-01-01T00:00:00Z"): FakeClock {
  return new FakeClock(typeof now === "number" ? now : Date.parse(now));
}

/** A turn of the event loop: every promise that can settle has. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
