/** Long work in short pieces. */

import { setImmediate } from "node:timers/promises";
import type { Clock } from "kopf-ts";

/** Milliseconds of work between two turns of the event loop. */
const length = 5;

/** Lets everybody else have a turn every 5 ms, and ends work for somebody who has gone. */
export class Slices {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #until: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#until = clock.monotonic() + length;
  }

  /** Whether it is time to let go. */
  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#until;
  }

  /** Waits for the next turn when it is time; rejects with the signal's reason. */
  rest(): Promise<void> | undefined {
    return this.isOver ? this.turn() : undefined;
  }

  /** Waits for the next turn; rejects with the signal's reason. */
  async turn(): Promise<void> {
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#until = this.#clock.monotonic() + length;
  }
}
