/** Room for what was written of objects. */

/** Something of which forms are kept. */
export interface Holder {
  /** When it was last asked for, in milliseconds since the Unix epoch. */
  readonly usedAt: number;
  /** Lets go of the forms. */
  clear(): void;
}

/** What was used so lately is not pushed out; milliseconds. */
const LATELY = 15_000;
/** How many holders are looked at to find one that can go. */
const mostLooks = 4;

/**
 * Counts what holders keep. Who comes when there is no more room finds some only where others have not been used for a while: were it the least used that go, somebody who
 * walks again and again through more than fits would never find anything.
 */
export class Room {
  /** Their sizes, those first that came first, or were found in use since. */
  readonly #holders = new Map<Holder, number>();
  #size = 0;

  /** Bytes that all holders keep. */
  get size(): number {
    return this.#size;
  }

  /** Whether more may be kept within a limit at a time, after those have gone, few at a time, that were not used lately. */
  has(more: number, { limit, now }: { readonly limit: number; readonly now: number }): boolean {
    for (let looks = 0; this.#size + more > limit; looks++) {
      const oldest = this.#oldest;
      if (oldest === undefined || looks === mostLooks) return false;
      if (Math.abs(now - oldest.usedAt) < LATELY) this.#putBack(oldest);
      else this.#evict(oldest);
    }
    return true;
  }

  /** A holder keeps so much now. */
  set(holder: Holder, size: number): void {
    this.#size += size - (this.#holders.get(holder) ?? 0);
    if (size > 0) this.#holders.set(holder, size);
    else this.#holders.delete(holder);
  }

  /** A holder is gone, and what it kept with it. */
  delete(holder: Holder): void {
    this.set(holder, 0);
  }

  /** Makes what is kept fit, whoever used it when. */
  trim(limit: number): void {
    for (let next = this.#oldest; next !== undefined && this.#size > limit; next = this.#oldest)
      this.#evict(next);
  }

  get #oldest(): Holder | undefined {
    return this.#holders.keys().next().value;
  }

  #putBack(holder: Holder): void {
    const size = this.#holders.get(holder) ?? 0;
    this.#holders.delete(holder);
    this.#holders.set(holder, size);
  }

  #evict(holder: Holder): void {
    holder.clear();
    this.delete(holder);
  }
}
