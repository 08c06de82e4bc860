/**
 * Lets only so many clusters begin at once, in the order in which they were added. Whoever begins keeps its place until it says `done`, whether it succeeded,
 * or failed and goes on trying by itself.
 */
export class StartQueue<T> {
  /** How many may begin at once. */
  limit = 1;
  readonly #begin: (name: string, how: T) => void;
  readonly #waiting = new Map<string, T>();
  readonly #starting = new Set<string>();
  /** What each began with, as long as it was not dropped. */
  readonly #begun = new Map<string, T>();

  constructor(begin: (name: string, how: T) => void) {
    this.#begin = begin;
  }

  /** Begins the cluster when it is its turn; nothing new when it has begun in this very way. */
  add(name: string, how: T): void {
    if (this.#begun.get(name) === how) return;
    this.#waiting.set(name, how);
    this.#next();
  }

  /** The cluster gives its place to the next. */
  done(name: string): void {
    if (this.#starting.delete(name)) this.#next();
  }

  /** The cluster is not to begin, or not to go on. */
  drop(name: string): void {
    this.#waiting.delete(name);
    this.#begun.delete(name);
    this.done(name);
  }

  #next(): void {
    for (const [name, how] of this.#waiting) {
      if (this.#starting.size >= this.limit && !this.#starting.has(name)) return;
      this.#waiting.delete(name);
      this.#starting.add(name);
      this.#begun.set(name, how);
      this.#begin(name, how);
    }
  }
}
