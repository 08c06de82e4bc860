/** When requests begin. */

import { type Clock, systemClock } from "kopf-ts";

/** Milliseconds of a turn of the event loop in which requests begin. What they answer is sent on between turns: those of a long one would all end with the last. */
const length = 2;

/**
 * Lets requests begin in the order in which they came, as long as those before them have left time in the same turn of the event loop: each does little before it lets others
 * have a turn, but hundreds may come at once.
 */
export class Turnstile {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #waiting: (() => void)[] = [];
  /** When this turn is used up; NaN before anybody has begun in it. */
  #until = Number.NaN;
  #isLetting = false;

  constructor(clock: Pick<Clock, "monotonic"> = systemClock) {
    this.#clock = clock;
  }

  /** Waits for its turn; rejects with the signal's reason. */
  async pass(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#letIn();
    });
    signal.throwIfAborted();
  }

  #letIn(): void {
    if (this.#isLetting || this.#waiting.length === 0 || !this.#isOpen()) return;
    this.#isLetting = true;
    this.#waiting.shift()?.();
    // Behind all microtasks, in which that one does what it does at once.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isLetting = false;
        this.#letIn();
      }),
    );
  }

  /** Whether somebody may begin in this turn. */
  #isOpen(): boolean {
    const now = this.#clock.monotonic();
    if (Number.isNaN(this.#until)) {
      this.#until = now + length;
      setImmediate(() => {
        this.#until = Number.NaN;
        this.#letIn();
      });
    }
    return now < this.#until;
  }
}
