/** What somebody waits for goes before what nobody does. */

import type { Clock } from "kopf-ts";

/** Milliseconds after which work that was put off goes on all the same. */
const LONGEST = 10_000;

/** Those who wait, and work that lets them go first. */
export class Precedence {
  readonly #clock: Clock;
  #waiting = 0;
  #calm: PromiseWithResolvers<void> | undefined;

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
        this.#calm?.resolve();
        this.#calm = undefined;
      },
    };
  }

  /** Resolves when nobody waits, after ten seconds, or when the signal aborts. */
  async calm(signal: AbortSignal): Promise<void> {
    if (this.#waiting === 0 || signal.aborted) return;
    const done = new AbortController();
    const late = this.#clock.sleep(LONGEST, AbortSignal.any([signal, done.signal]));
    this.#calm ??= Promise.withResolvers();
    await Promise.race([this.#calm.promise, late.catch(() => undefined)]);
    done.abort();
  }
}
