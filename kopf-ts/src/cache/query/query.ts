/** Questions to a whole cache, answered from columns without reading an object. */

import type { Columns } from "../columns/columns.ts";
import type { Condition } from "../columns/condition.ts";
import type { Rows } from "../rows.ts";
import { rowsOf } from "./order.ts";
import type { Orders } from "./orders.ts";

/** Which objects: a condition on a column, a label selector, or a combination. */
export type Filter =
  | Condition
  | { readonly labels: string }
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter };

/** One sort key. Texts are ordered by their UTF-8 bytes; absent values come first, or last when descending. */
export interface Sort {
  readonly column: string;
  readonly descending?: boolean;
}

/** What to find. Columns are the built-in `id` (the key), `metadata.name`, `metadata.namespace`, `metadata.creationTimestamp` and the added ones. */
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

/** Answers a query with rows. Time: the filter looks at one array per condition, the page is read off the sort order. */
export function answer(
  { filter, sort = [], offset = 0, limit = DEFAULT_LIMIT }: Query,
  { rows, columns, orders }: { rows: Rows; columns: Columns; orders: Orders },
): { readonly rows: Iterable<number>; readonly total: number } {
  if (filter === undefined) {
    return { rows: orders.page(sort, offset, limit, rows.size), total: rows.size };
  }
  const mask = new Uint8Array(rows.end);
  evaluate(filter, columns, rows, mask);
  and(mask, rows.alive);
  const total = count(mask);
  return { rows: orders.page(sort, offset, limit, total, mask), total };
}

/** Writes 1 to `out` for each row that passes; free rows may come out either way. */
function evaluate(filter: Filter, columns: Columns, rows: Rows, out: Uint8Array): void {
  if ("all" in filter) {
    out.fill(1);
    for (const each of filter.all) and(out, evaluated(each, columns, rows));
  } else if ("any" in filter) {
    for (const each of filter.any) or(out, evaluated(each, columns, rows));
  } else if ("not" in filter) {
    evaluate(filter.not, columns, rows, out);
    for (let row = 0; row < out.length; row++) out[row] = 1 - (out[row] ?? 0);
  } else if ("labels" in filter) {
    out.set(rows.alive.subarray(0, out.length));
    columns.labels.narrow(out, out.length, filter.labels);
  } else {
    columns.selector(filter.column).select(filter, out, out.length);
  }
}

function evaluated(filter: Filter, columns: Columns, rows: Rows): Uint8Array {
  const mask = new Uint8Array(rows.end);
  evaluate(filter, columns, rows, mask);
  return mask;
}

function and(mask: Uint8Array, other: Uint8Array): void {
  for (let row = 0; row < mask.length; row++) mask[row] = (mask[row] ?? 0) & (other[row] ?? 0);
}

function or(mask: Uint8Array, other: Uint8Array): void {
  for (let row = 0; row < mask.length; row++) mask[row] = (mask[row] ?? 0) | (other[row] ?? 0);
}

function count(mask: Uint8Array): number {
  let total = 0;
  for (let row = 0; row < mask.length; row++) total += mask[row] ?? 0;
  return total;
}

/** The rows of a namespace, or all, in the order of their numbers. */
export function rowsIn(rows: Rows, columns: Columns, namespace?: string): Iterable<number> {
  if (namespace === undefined) return rowsOf(rows.alive, rows.end);
  return columns.namespaces.rowsOf(namespace);
}
