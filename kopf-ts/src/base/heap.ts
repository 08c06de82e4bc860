/** What a Heap orders. */
export interface HeapItem {
  /** The lowest is first; may change only while the item is in no heap. */
  readonly due: number;
  /** Its place, kept by the heap; -1 outside of it. */
  slot: number;
}

/** A binary heap by due time in which every item knows its slot, so that any of them can leave in O(log n). */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The item due first; equal ones in no particular order. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    this.#up(item, this.#items.length - 1);
  }

  /** Takes out an item of this heap. */
  remove(item: T): void {
    const { slot } = item;
    const last = this.#items.pop();
    item.slot = -1;
    if (last === undefined || last === item) return;
    this.#down(last, slot);
    this.#up(last, last.slot);
  }

  clear(): void {
    for (const item of this.#items) item.slot = -1;
    this.#items.length = 0;
  }

  #up(item: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || parent.due <= item.due) break;
      this.#put(parent, slot);
      slot = above;
    }
    this.#put(item, slot);
  }

  #down(item: T, from: number): void {
    let slot = from;
    for (;;) {
      const child = this.#earlierChild(slot);
      if (child === undefined || child.due >= item.due) break;
      const next = child.slot;
      this.#put(child, slot);
      slot = next;
    }
    this.#put(item, slot);
  }

  #earlierChild(slot: number): T | undefined {
    const left = this.#items[2 * slot + 1];
    const right = this.#items[2 * slot + 2];
    return right !== undefined && left !== undefined && right.due < left.due ? right : left;
  }

  #put(item: T, slot: number): void {
    this.#items[slot] = item;
    item.slot = slot;
  }
}
