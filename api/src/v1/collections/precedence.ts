/** What somebody waits for goes before what nobody does. */

import { type Clock, Latch } from "kopf-ts";

/** Milliseconds after which work that was put off goes on all the same. */
const LONGEST = 10_000;

/** Those who wait, and work that lets them go first. */
export class Precedence {
  readonly #clock: Clock;
  #waiting = 0;
  #calm = new Latch();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Somebody waits, until it is disposed. */
  wait(): Disposable {
    this.#waiting++;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        if (--this.#waiting > 0) return;
        this.#calm.open();
        this.#calm = new Latch();
      },
    };
  }

  /** Resolves when nobody waits, after ten seconds, or when the signal aborts. */
  async calm(signal: AbortSignal): Promise<void> {
    if (this.#waiting === 0) return;
    const late = new AbortController();
    const timer = this.#clock.after(LONGEST, () => late.abort());
    const either = AbortSignal.any([signal, late.signal]);
    await this.#calm.wait(either).catch(() => undefined);
    timer.cancel();
  }
}
