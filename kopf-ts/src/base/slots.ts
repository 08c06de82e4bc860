/** Limits how many do something at once; those who come later wait in their order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  /** Resolves with a slot, to be given back by disposing it; undefined when the signal aborts first. */
  async take(signal: AbortSignal): Promise<Disposable | undefined> {
    if (this.#free > 0) this.#free--;
    else if (!(await this.#wait(signal))) return undefined;
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#give();
        held = false;
      },
    };
  }

  /** True when a slot was handed over, false when the signal aborted. */
  #wait(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const take = (): void => {
        signal.removeEventListener("abort", leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        resolve(false);
      };
      this.#waiting.push(take);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
