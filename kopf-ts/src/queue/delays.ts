/** The keys whose time has not come. */

import type { Entry } from "./entry.ts";

/** A binary heap by due time in which every entry knows its slot, so that any of them can move or leave in O(log n). */
export class Delays<K> {
  readonly #heap: Entry<K>[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** The entry due first. */
  peek(): Entry<K> | undefined {
    return this.#heap[0];
  }

  push(entry: Entry<K>): void {
    this.#heap.push(entry);
    this.#up(entry, this.#heap.length - 1);
  }

  /** Restores the order after the entry's due time became earlier. */
  hasten(entry: Entry<K>): void {
    this.#up(entry, entry.slot);
  }

  /** Takes out an entry of this heap. */
  remove(entry: Entry<K>): void {
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#down(last, entry.slot);
    this.#up(last, last.slot);
  }

  clear(): void {
    this.#heap.length = 0;
  }

  [Symbol.iterator](): IterableIterator<Entry<K>> {
    return this.#heap.values();
  }

  #up(entry: Entry<K>, from: number): void {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || parent.due <= entry.due) break;
      this.#put(parent, slot);
      slot = above;
    }
    this.#put(entry, slot);
  }

  #down(entry: Entry<K>, from: number): void {
    let slot = from;
    for (;;) {
      const child = this.#earlierChild(slot);
      if (child === undefined || child.due >= entry.due) break;
      const next = child.slot;
      this.#put(child, slot);
      slot = next;
    }
    this.#put(entry, slot);
  }

  #earlierChild(slot: number): Entry<K> | undefined {
    const left = this.#heap[2 * slot + 1];
    const right = this.#heap[2 * slot + 2];
    return right !== undefined && left !== undefined && right.due < left.due ? right : left;
  }

  #put(entry: Entry<K>, slot: number): void {
    this.#heap[slot] = entry;
    entry.slot = slot;
  }
}
