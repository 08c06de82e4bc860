/** First in, first out for the keys of one priority. */

import type { Entry } from "./entry.ts";

const SMALLEST = 16;

/**
 * A ring buffer that grows and shrinks by powers of two. Positions only ever count up, so an entry that leaves from the middle
 * (its priority was raised) is found by its slot and leaves a hole that the head skips.
 */
export class Lane<K> {
  readonly priority: number;
  #ring: (Entry<K> | undefined)[] = new Array(SMALLEST);
  #head = 0;
  #tail = 0;
  #size = 0;

  constructor(priority: number) {
    this.priority = priority;
  }

  /** Entries that wait, holes not counted. */
  get size(): number {
    return this.#size;
  }

  push(entry: Entry<K>): void {
    if (this.#tail - this.#head === this.#ring.length) this.#resize();
    entry.lane = this;
    entry.slot = this.#tail;
    this.#ring[this.#tail & (this.#ring.length - 1)] = entry;
    this.#tail += 1;
    this.#size += 1;
  }

  /** The entry that waits longest. */
  peek(): Entry<K> | undefined {
    while (this.#head < this.#tail) {
      const entry = this.#ring[this.#head & (this.#ring.length - 1)];
      if (entry !== undefined) return entry;
      this.#head += 1;
    }
    return undefined;
  }

  /** Takes out an entry of this lane. */
  remove(entry: Entry<K>): void {
    this.#ring[entry.slot & (this.#ring.length - 1)] = undefined;
    entry.lane = undefined;
    this.#size -= 1;
    // A burst must not keep its memory for ever.
    if (this.#size === 0 && this.#ring.length > SMALLEST) this.#resize();
  }

  *[Symbol.iterator](): IterableIterator<Entry<K>> {
    for (let at = this.#head; at < this.#tail; at += 1) {
      const entry = this.#ring[at & (this.#ring.length - 1)];
      if (entry !== undefined) yield entry;
    }
  }

  /** Closes the holes and leaves at least a third of the ring free, so that resizing stays rare. */
  #resize(): void {
    const entries = [...this];
    let capacity = SMALLEST;
    while (capacity <= entries.length * 1.5) capacity *= 2;
    this.#ring = new Array(capacity);
    this.#head = 0;
    this.#tail = 0;
    this.#size = 0;
    for (const entry of entries) this.push(entry);
  }
}
