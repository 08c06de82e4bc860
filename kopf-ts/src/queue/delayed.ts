/** The keys whose time has not come, by either clock. */

import { type Clock, Heap, type HeapItem, type Timer } from "../base/index.ts";
import { type Entry, never } from "./entry.ts";

/** Entries released in one turn of the event loop: a clock set forward makes all of them due at once. */
const AT_ONCE = 1_000;

/**
 * Entries that wait until `due` (monotonic) or `at` (wall), whichever comes first. Holds one timer and one alarm at most, each for the
 * earliest time, and none while there is none.
 */
export class Delayed<K> {
  readonly #clock: Clock;
  readonly #delays: Line<Entry<K>>;
  readonly #appointments: Line<Appointment<K>>;

  /** `release` gets each entry when its time has come; it does not wait any more then. */
  constructor(clock: Clock, release: (entry: Entry<K>, now: number) => void) {
    this.#clock = clock;
    const over = (entry: Entry<K>): void => {
      this.remove(entry);
      release(entry, clock.monotonic());
    };
    this.#delays = new Line({
      now: () => clock.monotonic(),
      wake: (due, fn) => clock.after(due - clock.monotonic(), fn),
      over,
    });
    this.#appointments = new Line({
      now: () => clock.now(),
      wake: (due, fn) => clock.at(due, fn),
      over: ({ entry }) => over(entry),
    });
  }

  /** Whether one of the entry's times has come. */
  isDue({ due, at }: Entry<K>, now: number): boolean {
    return due <= now || (at !== never && at <= this.#clock.now());
  }

  push(entry: Entry<K>): void {
    if (entry.due !== never) this.#delays.push(entry);
    if (entry.at === never) return;
    entry.appointment = { due: entry.at, slot: -1, entry };
    this.#appointments.push(entry.appointment);
  }

  /** Takes out an entry that waits. */
  remove(entry: Entry<K>): void {
    if (entry.due !== never) this.#delays.remove(entry);
    if (entry.appointment === undefined) return;
    this.#appointments.remove(entry.appointment);
    entry.appointment = undefined;
  }
}

/** The place of an entry among those with a time of day; the entry itself has its place among the delays. */
export interface Appointment<K> extends HeapItem {
  readonly entry: Entry<K>;
}

interface LineOptions<T> {
  now(): number;
  wake(due: number, fn: () => void): Timer;
  /** The item's time has come; removes it. */
  over(item: T): void;
}

/** What waits for one clock. */
class Line<T extends HeapItem> {
  readonly #options: LineOptions<T>;
  readonly #heap = new Heap<T>();
  #timer: Timer | undefined;
  #timerDue = never;

  constructor(options: LineOptions<T>) {
    this.#options = options;
  }

  push(item: T): void {
    this.#heap.push(item);
    this.#arm();
  }

  remove(item: T): void {
    this.#heap.remove(item);
    if (this.#heap.size === 0) this.#disarm();
  }

  /** A timer that turns out too early (its item was taken out) only looks and re-arms. */
  #arm(): void {
    const first = this.#heap.peek();
    if (first === undefined || first.due >= this.#timerDue) return;
    this.#timer?.cancel();
    this.#timerDue = first.due;
    this.#timer = this.#options.wake(first.due, () => this.#fire());
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerDue = never;
  }

  #fire(): void {
    this.#disarm();
    const now = this.#options.now();
    for (let released = 0; released < AT_ONCE; released += 1) {
      const first = this.#heap.peek();
      if (first === undefined || first.due > now) break;
      this.#options.over(first);
    }
    this.#arm();
  }
}
