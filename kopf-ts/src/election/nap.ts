import type { Clock } from "../base/index.ts";

/** A pause that others can cut short. A wake that comes while nobody sleeps is kept for the next pause. */
export class Nap {
  readonly #clock: Clock;
  #awake = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the present pause, or the next one, at once. */
  readonly wake = (): void => {
    this.#awake = true;
    this.#wake?.();
  };

  /** Resolves after `delay` (ms), when woken, or when the signal aborts; never rejects. */
  async sleep(delay: number, signal: AbortSignal): Promise<void> {
    if (!this.#awake && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          timer.cancel();
          signal.removeEventListener("abort", end);
          resolve();
        };
        const timer = this.#clock.after(delay, end);
        this.#wake = end;
        signal.addEventListener("abort", end, { once: true });
      });
    }
    this.#wake = undefined;
    this.#awake = false;
  }
}
