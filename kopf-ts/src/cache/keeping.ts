/**
 * Whether a cache keeps the bytes of its objects beside their columns, and whether it has those of all. Who begins to keep them gets those of
 * objects that change from then on, and the others from the next list.
 */
export class Keeping {
  #keeps: boolean;
  #isComplete: boolean;
  /** The list in progress began after keeping did: with its end everything is there. */
  #isFilling = false;
  #complete: PromiseWithResolvers<void> | undefined;

  constructor(keeps: boolean) {
    this.#keeps = keeps;
    this.#isComplete = keeps;
  }

  /** Whether bytes are kept of what comes now. */
  get keeps(): boolean {
    return this.#keeps;
  }

  /** Whether all objects have their bytes. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Resolves when all objects have their bytes; when that is given up, too. */
  get complete(): Promise<void> {
    if (this.#isComplete || !this.#keeps) return Promise.resolve();
    this.#complete ??= Promise.withResolvers();
    return this.#complete.promise;
  }

  /** Keeps bytes from now on; `isEmpty` when there is no object that lacks them. */
  start(isEmpty: boolean): void {
    if (this.#keeps) return;
    this.#keeps = true;
    this.#isComplete = isEmpty;
  }

  stop(): void {
    this.#keeps = false;
    this.#isComplete = false;
    this.#isFilling = false;
    this.#tell();
  }

  /** True when objects get their bytes from this list. */
  beginList(): boolean {
    this.#isFilling = this.#keeps && !this.#isComplete;
    return this.#isFilling;
  }

  endList(): void {
    if (!this.#isFilling) return;
    this.#isFilling = false;
    this.#isComplete = true;
    this.#tell();
  }

  #tell(): void {
    this.#complete?.resolve();
    this.#complete = undefined;
  }
}
