/** Things that come and go thousands of times a second. */

/**
 * Holds things in no order. A Set would keep them alive longer: each time it grows or has been emptied often enough, V8 makes it a new table, and what was in the old one stays
 * until all garbage is collected, together with all that it refers to; of short requests that was every second one.
 */
export class Bag<T> {
  readonly #places: Place<T>[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** Takes it in; the function takes it out again, once. */
  add(thing: T): () => void {
    const place = { thing, index: this.#places.length };
    this.#places.push(place);
    return () => this.#remove(place);
  }

  /** All that are in it now. */
  all(): readonly T[] {
    return this.#places.map(({ thing }) => thing);
  }

  #remove(place: Place<T>): void {
    if (this.#places[place.index] !== place) return;
    const last = this.#places.pop();
    if (last === undefined || last === place) return;
    this.#places[place.index] = last;
    last.index = place.index;
  }
}

interface Place<T> {
  readonly thing: T;
  index: number;
}
