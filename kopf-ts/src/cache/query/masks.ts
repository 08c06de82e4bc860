import { LRUCache } from "lru-cache";
import type { Condition, Value } from "../columns/condition.ts";
import {
  and,
  count,
  evaluate,
  type Filter,
  type Filtered,
  type ObjectSet,
  or,
  tester,
} from "./filter.ts";
import type { Journal } from "./journal.ts";

/** The rows that pass a filter: 1 for each of them, 0 for all others. Valid until its caller awaits something. */
export interface Selection {
  readonly mask: Uint8Array;
  readonly total: number;
  /** Grows whenever the same selection comes to hold others. */
  readonly version: number;
  /** Grows whenever one of them comes, goes or has another value in some column. */
  readonly changes: number;
}

interface Kept {
  mask: Uint8Array<ArrayBuffer>;
  total: number;
  version: number;
  changes: number;
  /** Where in the journal it stands. */
  place: number;
  /** Made for the first row that changes. */
  passes: ((row: number) => boolean) | undefined;
}

/** Fewer rows are looked at for each query: microseconds. */
const WORTH_KEEPING = 1000;
/** Bytes of all masks of a cache, and besides room for as many as one query may need. */
const MOST_BYTES = 1024 * 1024;
const LEAST_MASKS = 64;
/** Parts of which one has to hold that are kept by themselves; of more, only what they have together. */
const MOST_PARTS = 64;
/** As it was made. */
const unchanged = { version: 0, changes: 0 } as const;
/** What a mask takes beside its bytes. */
const OVERHEAD = 512;

/**
 * What filters have found, kept while it may be asked again: lists of one user are within the same set, their pages the same filter. A mask that was kept
 * looks again at the rows that changed since, so it costs what changed and not what there is.
 */
export class Masks {
  readonly #filtered: Filtered;
  readonly #journal: Journal;
  readonly #numbers = new WeakMap<ObjectSet, number>();
  #sets = 0;
  #kept: LRUCache<string, Kept> | undefined;

  constructor(filtered: Filtered, journal: Journal) {
    this.#filtered = filtered;
    this.#journal = journal;
  }

  get bytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }

  /** Throws as `evaluate`. */
  select(filter: Filter): Selection {
    if (this.#filtered.rows.size < WORTH_KEEPING) return { ...this.#found(filter), ...unchanged };
    const name = this.#nameOf(filter);
    const known = this.#kept?.get(name);
    if (known !== undefined && this.#refresh(known, filter, name)) return known;
    const place = this.#journal.mark();
    const kept: Kept = { ...this.#made(filter), ...unchanged, place, passes: undefined };
    this.#keep(name, kept);
    return kept;
  }

  /** Lets go of everything: columns are others now, or nobody asks. */
  clear(): void {
    this.#kept = undefined;
    this.#journal.clear();
  }

  /** Of parts that are asked for in other combinations, too, each is kept by itself. */
  #made(filter: Filter): { mask: Uint8Array<ArrayBuffer>; total: number } {
    const { rows } = this.#filtered;
    if ("all" in filter) {
      const mask = rows.alive.slice(0, rows.end);
      for (const each of filter.all) and(mask, this.select(each).mask);
      return { mask, total: count(mask) };
    }
    if (!("any" in filter) || filter.any.length > MOST_PARTS) return this.#found(filter);
    const mask = new Uint8Array(rows.end);
    for (const each of filter.any) or(mask, this.select(each).mask);
    return { mask, total: count(mask) };
  }

  #found(filter: Filter): { mask: Uint8Array<ArrayBuffer>; total: number } {
    const { rows } = this.#filtered;
    const mask = new Uint8Array(rows.end);
    evaluate(filter, this.#filtered, mask);
    and(mask, rows.alive);
    return { mask, total: count(mask) };
  }

  /** False when it is less work to look at all rows. */
  #refresh(kept: Kept, filter: Filter, name: string): boolean {
    const { rows } = this.#filtered;
    const changed = this.#journal.since(kept.place);
    if (changed === undefined || changed.length * 8 > rows.size) return false;
    if (rows.end > kept.mask.length) {
      kept.mask = new Uint8Array(kept.mask.buffer.transfer(Math.ceil(rows.end * 1.1)));
      this.#kept?.delete(name);
      this.#keep(name, kept); // its size counts anew
    }
    kept.place = this.#journal.mark();
    if (changed.length === 0) return true;
    kept.passes ??= tester(filter, this.#filtered);
    const { passes } = kept;
    for (const row of changed) {
      const now = rows.isAlive(row) && passes(row) ? 1 : 0;
      const before = kept.mask[row] ?? 0;
      kept.changes += now | before;
      if (now === before) continue;
      kept.total += now - before;
      kept.mask[row] = now;
      kept.version++;
    }
    return true;
  }

  #keep(name: string, kept: Kept): void {
    const size = kept.mask.length + name.length + OVERHEAD;
    const room = kept.mask.length * LEAST_MASKS;
    if (this.#kept === undefined || this.#kept.maxSize < MOST_BYTES + room) {
      this.#kept = new LRUCache({ maxSize: MOST_BYTES + Math.ceil(room * 1.25) }); // a cache that grows begins anew now and then
    }
    this.#kept.set(name, kept, { size });
  }

  /** What tells a filter from all others. Sets of objects are told apart by identity. */
  #nameOf(filter: Filter): string {
    if ("all" in filter) return `all(${filter.all.map((each) => this.#nameOf(each)).join()})`;
    if ("any" in filter) return `any(${filter.any.map((each) => this.#nameOf(each)).join()})`;
    if ("not" in filter) return `not(${this.#nameOf(filter.not)})`;
    if ("labels" in filter) return `labels(${JSON.stringify(filter.labels)})`;
    if ("within" in filter) return `within(${this.#numberOf(filter.within)})`;
    return nameOfCondition(filter);
  }

  #numberOf(set: ObjectSet): number {
    const number = this.#numbers.get(set) ?? ++this.#sets;
    this.#numbers.set(set, number);
    return number;
  }
}

function nameOfCondition(condition: Condition): string {
  const of = `${JSON.stringify(condition.column)} ${condition.op}`;
  if ("values" in condition) return `${of} ${condition.values.map(nameOfValue).join()}`;
  return "value" in condition ? `${of} ${nameOfValue(condition.value)}` : of;
}

/** JSON has no words for numbers that are infinite or none, nor for bigints. */
function nameOfValue(value: Value): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
