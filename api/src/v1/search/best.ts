/** The best of many, without putting all of them in order. */

/** Negative when the first one is better. */
export type Compare<T> = (a: T, b: T) => number;

/** Keeps the best so many of what it is shown. */
export class Best<T> {
  readonly #most: number;
  readonly #compare: Compare<T>;
  #items: T[] = [];
  /** What is no better than this is not among the best. */
  #worst: T | undefined;

  constructor(most: number, compare: Compare<T>) {
    this.#most = most;
    this.#compare = compare;
  }

  add(item: T): void {
    if (this.#worst !== undefined && this.#compare(item, this.#worst) >= 0) return;
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#most) this.#cut();
  }

  /** The best ones, in order. */
  take(): readonly T[] {
    this.#cut();
    return this.#items;
  }

  #cut(): void {
    this.#items = this.#items.sort(this.#compare).slice(0, this.#most);
    if (this.#items.length === this.#most) this.#worst = this.#items.at(-1);
  }
}
