import type { Clock } from "../../base/index.ts";
import type { Background, Job } from "../background.ts";
import { anyLabel, type Columns, labelOf } from "../columns/columns.ts";
import type { Rows } from "../rows.ts";
import type { Selection } from "./masks.ts";
import { OrderIndex, rowsOf } from "./order.ts";
import type { Sort } from "./query.ts";
import { type Compare, selectPage } from "./sort.ts";
import { SortedSelections } from "./sorted.ts";

interface Kept {
  readonly index: OrderIndex;
  readonly columns: ReadonlySet<string>;
  job: Job | undefined;
  /** By the monotonic clock. */
  used: number;
  /** Greater than that of all that were used less lately. */
  turn: number;
}

/** Fewer rows are sorted for each query: less than a millisecond. */
const WORTH_KEEPING = 1000;
/** One row in so many and fewer are sorted by themselves: to look for them in the order of all rows takes longer. */
const SPARSE = 64;
/** So many of them are sorted whatever page is wanted, and kept so: less than half a millisecond. */
const FEW = 1000;
/** Sort orders kept per cache. */
const MOST = 16;
/** A sort order that nobody asked for this long is dropped. */
const IDLE = 5 * 60_000;

/**
 * The sort orders that queries use. The first query of an order selects its page from all rows (time grows with their number) and has the
 * order built in the background; from then on pages are read off it. Orders that nobody uses are dropped. Few rows of many are kept in their order
 * by themselves, as long as they stay as they are.
 */
export class Orders {
  readonly #rows: Rows;
  readonly #columns: Columns;
  readonly #background: Background;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #few = new SortedSelections();
  #turn = 0;

  constructor(rows: Rows, columns: Columns, background: Background, clock: Clock) {
    this.#rows = rows;
    this.#columns = columns;
    this.#background = background;
    this.#clock = clock;
  }

  /** How many sort orders are kept. */
  get size(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    return [...this.#kept.values()].reduce((sum, { index }) => sum + index.bytes, 0);
  }

  /** A row changed in a column; without one it came or went. */
  touch(row: number, column?: string): void {
    for (const { index, columns } of this.#kept.values()) {
      if (column === undefined || columns.has(column)) index.touch(row);
    }
  }

  /** A page of the rows that are selected (of all without it), `total` of them. */
  page(
    sort: readonly Sort[],
    offset: number,
    limit: number,
    total: number,
    selection?: Selection,
  ): ArrayLike<number> & Iterable<number> {
    const compare = this.#compare(sort);
    if (offset >= total || limit <= 0) return [];
    const rows = (): Uint32Array<ArrayBuffer> =>
      rowsOf(selection?.mask ?? this.#rows.alive, this.#rows.end, total);
    const isSparse = total * SPARSE < this.#rows.size;
    if (selection !== undefined && isSparse && total <= FEW) {
      const sorted = this.#few.of(selection, nameOf(sort), () => rows().sort(compare));
      return sorted.subarray(offset, offset + limit);
    }
    if (this.#rows.size >= WORTH_KEEPING && !isSparse) {
      const { index } = this.#use(sort, compare);
      if (index.refresh()) return index.page(offset, limit, selection);
    }
    return selectPage(rows(), compare, offset, limit);
  }

  /** Resolves when pages of an order are read off it. Rows that change faster than an order can be built may keep it from being ready. */
  async prepare(sort: readonly Sort[]): Promise<void> {
    const compare = this.#compare(sort);
    for (let attempt = 0; attempt < 3 && this.#rows.size >= WORTH_KEEPING; attempt++) {
      const kept = this.#use(sort, compare);
      if (kept.index.refresh()) return;
      if (kept.index.state === "empty") this.#build(kept);
      await kept.job?.done;
    }
  }

  /** Drops orders that were not used for long, and those of a column that goes. */
  trim(gone?: string): void {
    const oldest = this.#clock.monotonic() - IDLE;
    for (const [name, kept] of this.#kept) {
      if (kept.used < oldest || (gone !== undefined && kept.columns.has(gone))) this.#drop(name);
    }
  }

  clear(): void {
    for (const name of this.#kept.keys()) this.#drop(name);
  }

  #use(sort: readonly Sort[], compare: Compare): Kept {
    const name = nameOf(sort);
    const kept = this.#kept.get(name) ?? this.#enter(name, sort, compare);
    kept.used = this.#clock.monotonic();
    kept.turn = ++this.#turn;
    if (kept.index.state === "empty") this.#build(kept);
    return kept;
  }

  #enter(name: string, sort: readonly Sort[], compare: Compare): Kept {
    if (this.#kept.size >= MOST) this.#dropStalest();
    const columns = new Set(sort.flatMap(({ column }) => [column, noticeOf(column)]));
    const index = new OrderIndex(this.#rows, compare);
    const kept: Kept = { index, columns, job: undefined, used: 0, turn: 0 };
    this.#kept.set(name, kept);
    return kept;
  }

  #dropStalest(): void {
    const [stalest] = [...this.#kept].toSorted(([, a], [, b]) => a.turn - b.turn);
    if (stalest !== undefined) this.#drop(stalest[0]);
  }

  #build(kept: Kept): void {
    kept.job = this.#background.run(kept.index.build());
  }

  #drop(name: string): void {
    const kept = this.#kept.get(name);
    kept?.job?.cancel();
    kept?.index.clear();
    this.#kept.delete(name);
  }

  #compare(sort: readonly Sort[]): Compare {
    const terms = sort.map((key) => termOf(this.#columns, key));
    const rows = this.#rows;
    return (a, b) => {
      for (const compare of terms) {
        const order = compare(a, b);
        if (order !== 0) return order;
      }
      return rows.compare(a, b);
    };
  }
}

/** What sets an order apart from others. */
function nameOf(sort: readonly Sort[]): string {
  return JSON.stringify(sort.map(keyOf));
}

/** What sets one sort key apart from others. */
function keyOf({ column, descending = false, ignoreCase = false, absent }: Sort): unknown {
  return [column, descending, ignoreCase, absent ?? (descending ? "last" : "first")];
}

/** Under which name changes of a column are told. */
function noticeOf(column: string): string {
  return labelOf(column) === undefined ? column : anyLabel;
}

/** How two rows stand to each other by one sort key. */
function termOf(
  columns: Columns,
  { column, descending = false, ignoreCase, absent }: Sort,
): Compare {
  const upwards = columns.comparer(column, ignoreCase);
  const compare: Compare = descending ? (a, b) => -upwards(a, b) : upwards;
  if (absent === undefined || (absent === "last") === descending) return compare;
  const first = absent === "first" ? -1 : 1;
  const read = columns.reader(column);
  return (a, b) => {
    const isAbsent = read(a) === undefined;
    if (isAbsent !== (read(b) === undefined)) return isAbsent ? first : -first;
    return compare(a, b);
  };
}
