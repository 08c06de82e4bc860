import type { Clock, Timer } from "../../base/index.ts";

/** The reason a deadline gives when its time is up; everything else is the caller's own abort reason. */
export const timeUp: unique symbol = Symbol("time is up");

/** What a deadline ends. */
export interface Cancellable {
  cancel(reason: unknown): void;
}

/**
 * The end of one call: its timeout or its signal, whichever comes first. One timer and one listener per call, however many
 * attempts it takes, and no AbortSignal of its own: that would double the cost of a small request.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #at: number;
  readonly #timer: Timer;
  #bound: Cancellable | undefined;
  #ended: { readonly reason: unknown } | undefined;

  constructor(clock: Clock, timeout: number, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#at = clock.monotonic() + timeout;
    this.#timer = clock.after(timeout, () => this.end(timeUp));
    if (signal?.aborted) this.end(signal.reason);
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.#at - this.#clock.monotonic();
  }

  /** What to end from now on, in place of what was bound before; ends it at once if it is over. */
  bind(what: Cancellable): void {
    this.#bound = what;
    if (this.#ended !== undefined) what.cancel(this.#ended.reason);
  }

  /** The promise's outcome, or a rejection with the reason when the end comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.bind({ cancel: reject });
      promise.then(resolve, reject);
    });
  }

  /** Waits; rejects with the reason when the end comes first. */
  sleep(delay: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(delay, resolve);
      this.bind({
        cancel: (reason) => {
          timer.cancel();
          reject(reason);
        },
      });
    });
  }

  /** Releases timer and listener; the deadline ends nothing any more. */
  dispose(): void {
    this.#bound = undefined;
    this.#timer.cancel();
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.end(this.#signal?.reason);

  /** Ends what is bound, now; the first end counts. */
  end(reason: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = { reason };
    this.#bound?.cancel(reason);
  }
}
