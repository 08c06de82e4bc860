import type { Clock, Timer } from "../../base/index.ts";

/** When a refresh runs, in milliseconds. */
export interface RefreshTiming {
  /** Requests are gathered so long: installing a product changes dozens of CRDs. */
  readonly gather: number;
  /** Between two refreshes, however many requests come. */
  readonly spacing: number;
  /** After which it is refreshed once more: discovery may lag behind the objects it comes from. */
  readonly lag: number;
  /** Before a refresh that failed is repeated. */
  readonly retry: number;
}

const usual: RefreshTiming = { gather: 100, spacing: 1_000, lag: 2_000, retry: 5_000 };

/** Runs something soon after it was asked for, never twice at once, and again while it fails. Ends with its signal. */
export class Refresh {
  readonly #clock: Clock;
  /** Resolves with whether it worked. */
  readonly #run: () => Promise<boolean>;
  readonly #signal: AbortSignal;
  readonly #timing: RefreshTiming;
  #pending: { readonly at: number; readonly timer: Timer } | undefined;
  #running = false;
  #settled: Promise<void> = Promise.resolve();
  #asked = false;
  #ranAt = Number.NEGATIVE_INFINITY;

  constructor(
    clock: Clock,
    run: () => Promise<boolean>,
    signal: AbortSignal,
    timing: Partial<RefreshTiming> = {},
  ) {
    this.#clock = clock;
    this.#run = run;
    this.#signal = signal;
    this.#timing = { ...usual, ...timing };
    signal.addEventListener("abort", () => this.#pending?.timer.cancel(), { once: true });
  }

  /** Asks for a run, and for one more a while later. */
  request(): void {
    this.#asked = true;
    this.#schedule(this.#timing.gather);
  }

  /** Resolves when the run under way, if there is one, has ended. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  #schedule(delay: number): void {
    if (this.#signal.aborted || this.#running) return; // a run looks for new requests when it ends
    const now = this.#clock.monotonic();
    const at = Math.max(now + delay, this.#ranAt + this.#timing.spacing);
    if (this.#pending !== undefined && this.#pending.at <= at) return;
    this.#pending?.timer.cancel();
    const fire = (): void => {
      this.#settled = this.#fire();
    };
    this.#pending = { at, timer: this.#clock.after(at - now, fire) };
  }

  async #fire(): Promise<void> {
    this.#pending = undefined;
    this.#running = true;
    const asked = this.#asked;
    this.#asked = false;
    const worked = await this.#run();
    this.#running = false;
    this.#ranAt = this.#clock.monotonic();
    const { gather, lag, retry } = this.#timing;
    if (this.#asked) this.#schedule(gather);
    else if (!worked) this.#schedule(retry);
    else if (asked) this.#schedule(lag);
  }
}
