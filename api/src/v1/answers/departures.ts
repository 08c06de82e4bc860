/** When small answers whose bytes are there go out: several together. */

/** What those of one turn of the event loop cost, in bytes; the rest goes in the next. */
const most = 4 * 1024 * 1024;

/** What an answer costs beside its bytes, as so many of these. */
const each = 64 * 1024;

/** An answer that waits. */
interface Waiting {
  readonly cost: number;
  /** Aborted where the caller has gone. */
  readonly signal: AbortSignal;
  readonly leave: () => void;
}

/**
 * Lets answers go when all that has come is looked at, before the event loop waits again, in the order in which they came. Ten that are found in a row and written in a row run through the same code each
 * time, and a program that reads several of them is woken once, not for each.
 */
export class Departures {
  readonly #waiting: Waiting[] = [];

  /** Resolves when an answer of so many bytes may go; it is to be written at once. Rejects with the signal's reason; those who have gone hold nobody up. */
  async next(bytes: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((leave) => {
      this.#waiting.push({ cost: each + bytes, signal, leave });
      if (this.#waiting.length === 1) setImmediate(() => this.#letGo());
    });
    signal.throwIfAborted();
  }

  #letGo(): void {
    for (let left = most; left > 0; ) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next.leave();
      if (!next.signal.aborted) left -= next.cost;
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#letGo());
  }
}
