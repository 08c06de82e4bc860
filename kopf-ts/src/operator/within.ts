import type { Clock } from "../base/index.ts";

/** Resolves to true when the promise settles within `limit` (ms), to false when not; a rejection passes through. */
export async function within(
  clock: Clock,
  limit: number,
  promise: Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  const late = clock.sleep(limit, over.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    over.abort();
  }
}

/** As the promise, but rejects with the signal's reason when that aborts first: for what may not heed the signal itself. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: abort, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, abort]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Aborts with another signal until disposed; unlike AbortSignal.any it leaves nothing behind on a signal that lives longer. */
export class LinkedAbort implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #follow = (): void => this.#controller.abort(this.#parent.reason);

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    if (parent.aborted) this.#follow();
    else parent.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /** Stops following; the signal stays as it is. */
  [Symbol.dispose](): void {
    this.#parent.removeEventListener("abort", this.#follow);
  }
}
