import { type Clock, type Logger, never } from "../base/index.ts";
import { LinkedAbort, within } from "./within.ts";

/** What a crew asks of a controller's runner. */
export interface Runner {
  /** Resolves when its caches are synced and its queue is filled; nothing is reconciled yet. */
  warm(signal: AbortSignal): Promise<void>;
  /** Reconciles until the signal aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** Takes no more keys; resolves when none is in work. */
  drain(): Promise<void>;
}

/** What a crew works with. */
export interface CrewOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds that work gets to end by itself. */
  readonly drainTimeout: number;
}

/** Milliseconds that aborted work gets to notice. */
const grace = 2000;

/** Controllers that start and stop together. */
export class Crew {
  readonly #runners: readonly Runner[];
  readonly #options: CrewOptions;
  #running: readonly Promise<void>[] = [];
  #stop: LinkedAbort | undefined;
  #drained: Promise<void> | undefined;

  constructor(runners: readonly Runner[], options: CrewOptions) {
    this.#runners = runners;
    this.#options = options;
  }

  /** Resolves when every cache is synced and every queue is filled; nothing is reconciled yet. */
  async warm(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#runners.map((runner) => runner.warm(signal)));
  }

  /**
   * Lets the controllers work. When `signal` aborts they stop at once, without draining. Resolves when all have ended; rejects when one fails.
   */
  async work(signal: AbortSignal): Promise<void> {
    this.#stop = new LinkedAbort(signal);
    const { signal: stop } = this.#stop;
    this.#running = this.#runners.map((runner) => runner.start(stop));
    await Promise.all(this.#running);
  }

  /** As `work` until `drain`, but each controller starts as soon as its own caches are synced; `onWarm` is called when all are. */
  async workWhenWarm(onWarm: () => void): Promise<void> {
    this.#stop = new LinkedAbort(never);
    const { signal: stop } = this.#stop;
    let cold = this.#runners.length;
    if (cold === 0) onWarm();
    this.#running = this.#runners.map(async (runner) => {
      await runner.warm(stop);
      if (--cold === 0) onWarm();
      await runner.start(stop);
    });
    await Promise.all(this.#running);
  }

  /** Begins nothing new and lets what is in work end; what takes longer than the limit (ms) is aborted. Never rejects. */
  drain(limit: number = this.#options.drainTimeout): Promise<void> {
    this.#drained ??= this.#drain(limit);
    return this.#drained;
  }

  async #drain(limit: number): Promise<void> {
    if (this.#stop === undefined) return;
    const { clock, log } = this.#options;
    const drained = Promise.allSettled(this.#runners.map((runner) => runner.drain()));
    if (!(await within(clock, limit, drained))) {
      log.warn("aborting reconciliations that did not end in time", { limit });
    }
    this.#stop.abort(new DOMException("the controllers stop", "AbortError"));
    this.#stop[Symbol.dispose]();
    await within(clock, grace, Promise.allSettled(this.#running));
  }
}
