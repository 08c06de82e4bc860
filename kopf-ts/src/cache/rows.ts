import { TextOrder } from "./columns/compare.ts";
import { grown } from "./growth.ts";

/**
 * Numbers for keys: every object of a cache is a small integer, and everything known about it sits in arrays at that place. Rows that became
 * free are used again, so that the arrays stay dense.
 */
export class Rows {
  readonly #rows = new Map<string, number>();
  readonly #keys: (string | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #order = new TextOrder();
  readonly #resizers = new Set<(capacity: number) => void>();
  /** The row that was found last, and those that are expected: checked by their keys, so they may be anything. */
  #last = -1;
  #expected: ArrayLike<number> = [];
  #at = 0;
  #capacity = 16;
  #alive = new Uint8Array(16);

  /** How many there are. */
  get size(): number {
    return this.#rows.size;
  }

  /** Every row is below it. */
  get end(): number {
    return this.#keys.length;
  }

  /** 1 for each row in use, 0 for those that are free. Replaced when rows are added: do not keep it. */
  get alive(): Uint8Array {
    return this.#alive;
  }

  /** The row of a key, or -1. */
  find(key: string): number {
    const next = this.#expected[this.#at] ?? -1; // first, as it is most likely the same string: others are compared letter by letter
    if (next >= 0 && this.#keys[next] === key) {
      this.#at++;
      this.#last = next;
      return next;
    }
    if (this.#keys[this.#last] === key) return this.#last;
    const row = this.#rows.get(key) ?? -1;
    if (row >= 0) this.#last = row;
    return row;
  }

  /** These rows' keys are likely to be asked for next, one after the other and each perhaps several times: then nothing is looked up. */
  expect(rows: ArrayLike<number>): void {
    this.#expected = rows;
    this.#at = 0;
  }

  isAlive(row: number): boolean {
    return this.#alive[row] === 1;
  }

  /** The key of a row in use. */
  keyOf(row: number): string {
    return this.#keys[row] ?? "";
  }

  /** How the keys of two rows in use are ordered. */
  compare(a: number, b: number, ignoreCase = false): number {
    return this.#order.compare(this.keyOf(a), this.keyOf(b), ignoreCase);
  }

  /** In the order in which they came. A key that is added during the iteration is part of it. */
  keys(): IterableIterator<string> {
    return this.#rows.keys();
  }

  /** Makes a row for a key. Throws when it has one: two rows for a key could never be told apart again. */
  add(key: string): number {
    if (this.#rows.has(key)) throw new Error(`the key ${key} has a row already`);
    flatten(key);
    this.#order.meet(key);
    const row = this.#free.pop() ?? this.#keys.length;
    if (row >= this.#capacity) this.#resize(grown(this.#capacity));
    this.#keys[row] = key;
    this.#rows.set(key, row);
    this.#alive[row] = 1;
    return row;
  }

  remove(row: number): void {
    this.#rows.delete(this.keyOf(row));
    this.#keys[row] = undefined;
    this.#alive[row] = 0;
    this.#free.push(row);
  }

  clear(): void {
    this.#rows.clear();
    this.#keys.length = 0;
    this.#free.length = 0;
    this.#last = -1;
    this.#expected = [];
    this.#alive.fill(0);
    this.#resize(16);
  }

  /** Calls back, now and whenever it changes, with how many rows arrays must have room for. */
  onResize(resize: (capacity: number) => void): void {
    this.#resizers.add(resize);
    resize(this.#capacity);
  }

  /** The opposite of onResize. */
  offResize(resize: (capacity: number) => void): void {
    this.#resizers.delete(resize);
  }

  #resize(capacity: number): void {
    this.#capacity = capacity;
    this.#alive = new Uint8Array(this.#alive.buffer.transfer(capacity));
    for (const resize of this.#resizers) resize(capacity);
  }
}

/** A key put together from two strings is a tree of both until somebody reads it; reading makes it one piece, half the size. */
function flatten(key: string): void {
  key.charCodeAt(0);
}
