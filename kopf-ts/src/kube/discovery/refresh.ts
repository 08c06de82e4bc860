import type { Clock, Timer } from "../../base/index.ts";

/** Milliseconds that requests are gathered: installing a product changes dozens of CRDs. */
const GATHER = 100;
/** Milliseconds between two refreshes, however many requests come. */
const SPACING = 1_000;
/** Milliseconds after which it is refreshed once more: discovery may lag behind the objects it comes from. */
const LAG = 2_000;
/** Milliseconds before a refresh that failed is repeated. */
const RETRY = 5_000;

/** Runs something soon after it was asked for, never twice at once, and again while it fails. Ends with its signal. */
export class Refresh {
  readonly #clock: Clock;
  /** Resolves with whether it worked. */
  readonly #run: () => Promise<boolean>;
  readonly #signal: AbortSignal;
  #pending: { readonly at: number; readonly timer: Timer } | undefined;
  #running = false;
  #settled: Promise<void> = Promise.resolve();
  #asked = false;
  #ranAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, run: () => Promise<boolean>, signal: AbortSignal) {
    this.#clock = clock;
    this.#run = run;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#pending?.timer.cancel(), { once: true });
  }

  /** Asks for a run, and for one more a while later. */
  request(): void {
    this.#asked = true;
    this.#schedule(GATHER);
  }

  /** Resolves when the run under way, if there is one, has ended. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  #schedule(delay: number): void {
    if (this.#signal.aborted || this.#running) return; // a run looks for new requests when it ends
    const now = this.#clock.monotonic();
    const at = Math.max(now + delay, this.#ranAt + SPACING);
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
    if (this.#asked) this.#schedule(GATHER);
    else if (!worked) this.#schedule(RETRY);
    else if (asked) this.#schedule(LAG);
  }
}
