import { type Logger, messageOf, systemClock } from "../base/index.ts";

/** Work in small steps: each `next` takes about a millisecond at most. */
export type Steps = Generator<void, void, void>;

/** Work that was handed to Background. */
export interface Job {
  /** Resolves when the work ended, failed or was cancelled. */
  readonly done: Promise<void>;
  cancel(): void;
}

interface Entry {
  readonly steps: Steps;
  readonly finish: () => void;
}

/** Milliseconds of work between two turns of the event loop; of the real clock, whatever clock tests give to others. */
const SLICE = 5;

/**
 * Runs work beside everything else without holding up the event loop: a slice of 5 ms per turn, shared fairly. Guarantees: the job that waited
 * longest is next, and one that needs more than a slice goes behind the others; a step that throws ends its job only; with no job left,
 * nothing is scheduled.
 */
export class Background {
  readonly #logger: Logger;
  readonly #entries = new Set<Entry>();
  #turn: NodeJS.Immediate | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Jobs that have not ended. */
  get size(): number {
    return this.#entries.size;
  }

  /** Starts with the next turn of the event loop. */
  run(steps: Steps): Job {
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry: Entry = { steps, finish: resolve };
    this.#entries.add(entry);
    this.#turn ??= setImmediate(() => this.#slice());
    return { done: promise, cancel: () => this.#end(entry) };
  }

  /** Cancels everything. */
  clear(): void {
    for (const entry of this.#entries) this.#end(entry);
  }

  #slice(): void {
    this.#turn = undefined;
    const until = systemClock.monotonic() + SLICE;
    for (const entry of [...this.#entries]) {
      while (this.#entries.has(entry) && systemClock.monotonic() < until) this.#step(entry);
      if (systemClock.monotonic() < until) continue;
      if (this.#entries.delete(entry)) this.#entries.add(entry);
      break;
    }
    if (this.#entries.size > 0) this.#turn ??= setImmediate(() => this.#slice());
  }

  #step(entry: Entry): void {
    try {
      if (entry.steps.next().done !== true) return;
    } catch (error) {
      this.#logger.error("background work of a cache failed", { error: messageOf(error) });
    }
    this.#end(entry);
  }

  #end(entry: Entry): void {
    this.#entries.delete(entry);
    entry.finish();
    if (this.#entries.size > 0 || this.#turn === undefined) return;
    clearImmediate(this.#turn);
    this.#turn = undefined;
  }
}
