/** Something that happens once, and those who wait for it. Unlike a promise, which remembers until it settles whoever has asked, it keeps nothing of those who give up. */
export class Latch {
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  #outcome: Promise<void> | undefined;
  #isOpen = false;

  /** It has happened. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** It happens now; once it has, or never will, this does nothing. */
  open(): void {
    if (this.#outcome !== undefined) return;
    this.#isOpen = true;
    this.#outcome = Promise.resolve();
    for (const { resolve } of this.#waiting) resolve();
  }

  /** It will never happen: whoever waits, now or later, is told the reason. */
  fail(reason: unknown): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = Promise.reject(reason);
    this.#outcome.catch(() => undefined); // it may be that nobody waits
    for (const { reject } of this.#waiting) reject(reason);
  }

  /** Resolves when it has happened. Rejects with the reason why it never will, or with that of the signal. */
  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#outcome !== undefined) return this.#outcome;
    const waiter = Promise.withResolvers<void>();
    const leave = (): void => waiter.reject(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    this.#waiting.add(waiter);
    try {
      await waiter.promise;
    } finally {
      this.#waiting.delete(waiter);
      signal?.removeEventListener("abort", leave);
    }
  }
}
