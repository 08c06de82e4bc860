import type { Clock } from "../base/index.ts";

/** Milliseconds of uninterrupted work; timers, sockets and leases get their turn after it. */
const SLICE = 10;

/** Interrupts workers that never wait for anything, which would otherwise hold up the event loop for as long as keys wait. */
export class Pace {
  readonly #clock: Clock;
  #began = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it is time for `rest`. */
  isOver(now: number): boolean {
    return now - this.#began > SLICE;
  }

  /** Resolves in the next turn of the event loop. */
  async rest(): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.#began = this.#clock.monotonic();
  }
}
