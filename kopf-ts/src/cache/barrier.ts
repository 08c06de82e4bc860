import type { Clock } from "../base/index.ts";
import { compareResourceVersions } from "../watch/index.ts";

/** How long to wait, and when to give up. */
export interface WaitOptions {
  /** Milliseconds; 5,000 unless told. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly resourceVersion: string;
  readonly finish: (reached: boolean) => void;
}

const TIMEOUT = 5000;

/** Lets callers wait until a cache has reached a resourceVersion. */
export class Barrier {
  readonly #clock: Clock;
  readonly #onWait: () => void;
  readonly #waiters = new Set<Waiter>();
  #reached = "";

  /** `onWait` is called whenever somebody begins to wait. */
  constructor(clock: Clock, onWait: () => void = () => undefined) {
    this.#clock = clock;
    this.#onWait = onWait;
  }

  /** Whether anybody waits. */
  get isAwaited(): boolean {
    return this.#waiters.size > 0;
  }

  get reached(): string {
    return this.#reached;
  }

  /** Everything up to `resourceVersion` is in. */
  reach(resourceVersion: string): void {
    this.#reached = resourceVersion;
    for (const waiter of this.#waiters) {
      if (compareResourceVersions(waiter.resourceVersion, resourceVersion) <= 0)
        waiter.finish(true);
    }
  }

  /** True once reached; false when it takes too long or the barrier closes. Rejects with the signal's reason. */
  wait(resourceVersion: string, { timeout = TIMEOUT, signal }: WaitOptions): Promise<boolean> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (compareResourceVersions(resourceVersion, this.#reached) <= 0) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const finish = (reached: boolean): void => {
        timer.cancel();
        signal?.removeEventListener("abort", onAbort);
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const onAbort = (): void => {
        reject(signal?.reason);
        finish(false);
      };
      const waiter = { resourceVersion, finish };
      const timer = this.#clock.after(timeout, () => finish(false));
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiters.add(waiter);
      this.#onWait();
    });
  }

  /** Nothing more will come: whoever waits gets false. */
  close(): void {
    for (const waiter of this.#waiters) waiter.finish(false);
  }
}
