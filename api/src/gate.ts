/** Rejects what `Gate` has no room for; callers answer 429. */
export class BusyError extends Error {
  override readonly name = "BusyError";
}

/** How much a gate lets through. */
export interface GateLimits {
  /** Works that run at the same time. */
  readonly atOnce: number;
  /** Works that wait for their turn; one more is turned away. */
  readonly waiting: number;
}

/** Bounds costly work: some run, some wait in order, the rest is refused at once, so that nobody can pile up work here. */
export class Gate {
  readonly #limits: GateLimits;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** The work's outcome; rejects with a BusyError if too many wait, and with the signal's reason if that aborts before its turn. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#limits.atOnce) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Resolves when a place was handed over. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#limits.waiting) throw new BusyError("too much waits already");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(resolve);
      reject(signal?.reason);
    };
    this.#waiting.add(resolve);
    signal?.addEventListener("abort", leave, { once: true });
    await promise;
    signal?.removeEventListener("abort", leave);
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) this.#running -= 1;
    else {
      this.#waiting.delete(first);
      first();
    }
  }
}
