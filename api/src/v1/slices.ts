/** Long work in short pieces. */

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
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#until = this.#clock.monotonic() + length;
  }
}

/** Work that waits, in order. */
const waiting: (() => void)[] = [];

/** One at a time goes on in each turn of the event loop: however many are at work, others wait for one slice. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letOneGo);
  });
}

function letOneGo(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGo);
}
