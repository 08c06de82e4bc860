/** Room for what was written of objects. */

/** Something of which forms are kept. */
export interface Holder {
  /** When it was last asked for, in milliseconds since the Unix epoch. */
  readonly usedAt: number;
  /** Lets go of the forms up to a rank, and tells how many bytes it keeps still. */
  clear(rank: number): number;
}

/** What was used so lately is not pushed out for what ranks no higher; milliseconds. */
const LATELY = 15_000;
const lowest = 1;
/** How many holders are looked at to find one that can go. */
const mostLooks = 4;

/** What has to be so that more is kept. */
export interface Wanted {
  /** Bytes that all may keep together. */
  readonly limit: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** From 1. What ranks higher is not pushed out for it, and what ranks the same only where it was not used lately. */
  readonly rank: number;
  /** Who wants to keep more: nothing of its own is pushed out for it. */
  readonly holder: Holder;
}

/** Where a holder stands, and what it keeps. */
interface Place {
  index: number;
  size: number;
}

/**
 * Counts what holders keep. Who comes when there is no more room finds some only where others keep what ranks lower, or have not been used for a while: were it the least used
 * that go, somebody who walks again and again through more than fits would never find anything. A hand goes round to find them, a few steps at a time.
 */
export class Room {
  readonly #places = new Map<Holder, Place>();
  readonly #holders: Holder[] = [];
  /** The holder that is looked at next. */
  #hand = 0;
  #size = 0;

  /** Bytes that all holders keep. */
  get size(): number {
    return this.#size;
  }

  /** Whether more may be kept, after those have gone, few at a time, that rank lower or were not used lately. */
  has(more: number, { limit, now, rank, holder }: Wanted): boolean {
    for (let looks = 0; this.#size + more > limit; looks++) {
      const next = this.#next;
      if (next === undefined || looks === mostLooks) return false;
      const isInUse = Math.abs(now - next.usedAt) < LATELY;
      if (next === holder || (isInUse && rank === lowest)) this.#hand++;
      else this.#clear(next, isInUse ? rank - 1 : rank);
    }
    return true;
  }

  /** A holder keeps so much now. */
  set(holder: Holder, size: number): void {
    const place = this.#places.get(holder) ?? this.#enter(holder);
    this.#size += size - place.size;
    place.size = size;
  }

  /** A holder is gone, and what it kept with it. */
  delete(holder: Holder): void {
    const place = this.#places.get(holder);
    const last = this.#holders.at(-1);
    if (place === undefined || last === undefined) return;
    this.#size -= place.size;
    this.#holders[place.index] = last;
    const moved = this.#places.get(last);
    if (moved !== undefined) moved.index = place.index;
    this.#holders.pop();
    this.#places.delete(holder);
  }

  /** Makes what is kept fit, whoever used it when. */
  trim(limit: number): void {
    for (let next = this.#next; next !== undefined && this.#size > limit; next = this.#next)
      this.#clear(next, Number.POSITIVE_INFINITY);
  }

  get #next(): Holder | undefined {
    if (this.#hand >= this.#holders.length) this.#hand = 0;
    return this.#holders[this.#hand];
  }

  #enter(holder: Holder): Place {
    const place = { index: this.#holders.length, size: 0 };
    this.#holders.push(holder);
    this.#places.set(holder, place);
    return place;
  }

  #clear(holder: Holder, rank: number): void {
    const rest = holder.clear(rank);
    if (rest === 0) {
      this.delete(holder);
      return;
    }
    this.set(holder, rest);
    this.#hand++;
  }
}
