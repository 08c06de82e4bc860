import type { Clock } from "../base/index.ts";
import type { RawStream } from "../kube/index.ts";

/** What can be told to wait for the next turn. */
export type Pausable = Pick<RawStream, "pause" | "resume">;

/**
 * Keeps the work of many streams in one turn of the event loop within a budget, so that timers, leases and other sockets get theirs
 * while a hundred megabytes of list come in. Share one among all watches of a process: the budget is for all of them together.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #budget: number;
  #began = Number.NaN;
  #paused: Set<Pausable> = new Set();

  /** `budget` in milliseconds. */
  constructor(clock: Clock, budget: number) {
    this.#clock = clock;
    this.#budget = budget;
  }

  /** Tells that a stream has worked on a chunk since `start` (monotonic); it waits for the next turn when this one is used up. */
  worked(stream: Pausable, start: number): void {
    if (Number.isNaN(this.#began)) this.#begin(start);
    if (this.#clock.monotonic() - this.#began < this.#budget || this.#paused.has(stream)) return;
    this.#paused.add(stream);
    stream.pause();
  }

  #begin(start: number): void {
    this.#began = start;
    setImmediate(() => this.#end());
  }

  #end(): void {
    this.#began = Number.NaN;
    if (this.#paused.size === 0) return;
    const paused = this.#paused;
    this.#paused = new Set();
    for (const stream of paused) stream.resume();
  }
}
