import type { Clock } from "../../base/index.ts";

/** Limits of a TokenBucket. */
export interface TokenBucketOptions {
  /** How many may go at once after a quiet time. */
  readonly burst: number;
  /** How many are added per second. */
  readonly perSecond: number;
}

/** Lets through a burst and then so many per second, by the monotonic clock. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  readonly #clock: Clock;
  #left: number;
  #since: number;

  constructor(options: TokenBucketOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#left = options.burst;
    this.#since = clock.monotonic();
  }

  /** Takes one if there is one. */
  take(): boolean {
    const { burst, perSecond } = this.#options;
    const now = this.#clock.monotonic();
    this.#left = Math.min(burst, this.#left + ((now - this.#since) / 1000) * perSecond);
    this.#since = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
