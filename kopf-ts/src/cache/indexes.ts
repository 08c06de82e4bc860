import type { Rows } from "./rows.ts";

/** The values under which an object is found; pure, and called once per state of each object. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** One of Indexes. */
export interface Index<T> {
  readonly name: string;
  readonly fn: IndexFunction<T>;
  /** One row is kept as it is: most values have one. */
  readonly rows: Map<string, number | Set<number>>;
  readonly values: (readonly string[] | undefined)[];
  users: number;
  /** True once all rows that were there before it have their values. */
  filled: boolean;
}

const NONE: readonly string[] = [];

/** Finds rows by values that functions make of the objects. */
export class Indexes<T> {
  readonly #rows: Rows;
  readonly #onError: (index: string, error: unknown) => void;
  readonly #indexes = new Map<string, Index<T>>();

  constructor(rows: Rows, onError: (index: string, error: unknown) => void) {
    this.#rows = rows;
    this.#onError = onError;
  }

  get size(): number {
    return this.#indexes.size;
  }

  /** Indexes that lack values for rows that were there before them. */
  get unfilled(): readonly Index<T>[] {
    return [...this.#indexes.values()].filter(({ filled }) => !filled);
  }

  /** Adds an index, or one more user to the one that is there. Throws when another one has the name. */
  add(name: string, fn: IndexFunction<T>): Index<T> {
    const known = this.#indexes.get(name);
    if (known !== undefined && known.fn !== fn) throw new Error(`another index ${name} is there`);
    if (known !== undefined) known.users++;
    if (known !== undefined) return known;
    const filled = this.#rows.size === 0;
    const index: Index<T> = { name, fn, rows: new Map(), values: [], users: 1, filled };
    this.#indexes.set(name, index);
    return index;
  }

  /** Takes one user off an index; with the last one it goes. */
  release(name: string): void {
    const index = this.#indexes.get(name);
    if (index !== undefined && --index.users <= 0) this.#indexes.delete(name);
  }

  /** Sets the values of a row in all indexes; an object that could not be read has none. */
  set(row: number, object: T | undefined): void {
    for (const index of this.#indexes.values()) this.setOne(index, row, object);
  }

  /** As `set`, for one index. */
  setOne(index: Index<T>, row: number, object: T | undefined): void {
    const values = object === undefined ? NONE : this.#call(index, object);
    leave(index, row);
    index.values[row] = values.length === 0 ? undefined : values;
    for (const value of values) enter(index, row, value);
  }

  delete(row: number): void {
    for (const index of this.#indexes.values()) leave(index, row);
  }

  /** The rows with a value. Throws for an index that is not there or not filled yet. */
  find(name: string, value: string): Iterable<number> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`no index ${name}`);
    if (!index.filled) throw new Error(`index ${name} is still being filled`);
    const rows = index.rows.get(value);
    if (rows === undefined) return [];
    return typeof rows === "number" ? [rows] : [...rows];
  }

  /** Whether the row has the value. */
  has(name: string, value: string, row: number): boolean {
    return this.#indexes.get(name)?.values[row]?.includes(value) ?? false;
  }

  clear(): void {
    this.#indexes.clear();
  }

  #call({ name, fn }: Index<T>, object: T): readonly string[] {
    try {
      return [...new Set(fn(object))];
    } catch (error) {
      this.#onError(name, error);
      return NONE;
    }
  }
}

function enter<T>({ rows }: Index<T>, row: number, value: string): void {
  const known = rows.get(value);
  if (known === undefined) rows.set(value, row);
  else if (typeof known === "number") rows.set(value, new Set([known, row]));
  else known.add(row);
}

function leave<T>(index: Index<T>, row: number): void {
  for (const value of index.values[row] ?? NONE) {
    const known = index.rows.get(value);
    if (typeof known === "object") known.delete(row);
    if (known === row || (typeof known === "object" && known.size === 0)) index.rows.delete(value);
  }
  index.values[row] = undefined;
}
