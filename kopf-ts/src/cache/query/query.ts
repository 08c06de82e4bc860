/** Questions to a whole cache, answered from columns without reading an object. */

import type { Columns } from "../columns/columns.ts";
import type { Rows } from "../rows.ts";
import type { Filter } from "./filter.ts";
import type { Masks } from "./masks.ts";
import { rowsOf } from "./order.ts";
import type { Orders } from "./orders.ts";

/** One sort key. Texts are ordered by their UTF-8 bytes. */
export interface Sort {
  readonly column: string;
  readonly descending?: boolean;
  /** `A` to `Z` count as `a` to `z`, as SQLite's NOCASE has it. */
  readonly ignoreCase?: boolean | undefined;
  /** Where values that are absent go: unless told, they come first, or last when descending. */
  readonly absent?: "first" | "last" | undefined;
}

/**
 * What to find. Columns are the built-in `id` (the key), `metadata.name`, `metadata.namespace`, `metadata.creationTimestamp`, each label as
 * `metadata.labels[name]`, and the added ones.
 */
export interface Query {
  readonly filter?: Filter | undefined;
  /** By id unless told. What is equal in all keys is ordered by id, so that pages are stable. */
  readonly sort?: readonly Sort[] | undefined;
  /** How many to skip; 0 unless told. */
  readonly offset?: number | undefined;
  /**
   * How many to return; 1,000 unless told, none for 0, which only counts. Infinity is possible, but see `prepare`: sorting 100,000 at once takes
   * 150 to 300 ms.
   */
  readonly limit?: number | undefined;
}

/** One page of an answer. */
export interface QueryResult {
  readonly keys: readonly string[];
  /** How many there are on all pages. */
  readonly total: number;
  /** Where the cache stood. */
  readonly resourceVersion: string;
}

/** Keys on a page when nobody says how many: the first page of 100,000 objects is found in a few milliseconds, whatever the order. */
const DEFAULT_LIMIT = 1000;

/** What answers are made of. */
export interface Answering {
  readonly rows: Rows;
  readonly masks: Masks;
  readonly orders: Orders;
}

/** Answers a query with rows. Time: a new filter looks at one array per condition, one asked before at what changed; the page is read off the sort order. */
export function answer(
  { filter, sort = [], offset = 0, limit = DEFAULT_LIMIT }: Query,
  { rows, masks, orders }: Answering,
): { readonly rows: ArrayLike<number> & Iterable<number>; readonly total: number } {
  if (filter === undefined) {
    return { rows: orders.page(sort, offset, limit, rows.size), total: rows.size };
  }
  const selection = masks.select(filter);
  const { total } = selection;
  return { rows: orders.page(sort, offset, limit, total, selection), total };
}

/** The rows of a namespace, or all, in the order of their numbers. */
export function rowsIn(rows: Rows, columns: Columns, namespace?: string): Iterable<number> {
  if (namespace === undefined) return rowsOf(rows.alive, rows.end);
  return columns.namespaces.rowsOf(namespace);
}
