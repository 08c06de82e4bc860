/** Which objects a query is about. */

import type { Steps } from "../background.ts";
import type { Columns } from "../columns/columns.ts";
import type { Condition } from "../columns/condition.ts";
import { matches, parseSelector } from "../columns/selector.ts";
import type { Rows } from "../rows.ts";

/**
 * Objects by where they are: all of whole namespaces, and single ones by name. Names of objects outside namespaces stand under the empty
 * namespace, and count in every namespace. Immutable: a cache remembers by identity what it has found for one.
 */
export interface ObjectSet {
  readonly namespaces: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Which objects: a condition on a column, a label selector, a set of objects, or a combination. */
export type Filter =
  | Condition
  | { readonly labels: string }
  | { readonly within: ObjectSet }
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter };

/** What filters look at. */
export interface Filtered {
  readonly rows: Rows;
  readonly columns: Columns;
}

/** Writes 1 to `out` for each row that passes; free rows may come out either way. Throws for a column that is not there, and SelectorError. */
export function evaluate(filter: Filter, filtered: Filtered, out: Uint8Array): void {
  const { rows, columns } = filtered;
  if ("all" in filter) {
    out.fill(1);
    for (const each of filter.all) and(out, evaluated(each, filtered, out.length));
  } else if ("any" in filter) {
    out.fill(0);
    for (const each of filter.any) or(out, evaluated(each, filtered, out.length));
  } else if ("not" in filter) {
    evaluate(filter.not, filtered, out);
    for (let row = 0; row < out.length; row++) out[row] = 1 - (out[row] ?? 0);
  } else if ("labels" in filter) {
    out.set(rows.alive.subarray(0, out.length));
    columns.labels.narrow(out, out.length, filter.labels);
  } else if ("within" in filter) {
    selectSet(filter.within, filtered, out);
  } else {
    columns.selector(filter.column).select(filter, out, out.length);
  }
}

function evaluated(filter: Filter, filtered: Filtered, length: number): Uint8Array {
  const mask = new Uint8Array(length);
  evaluate(filter, filtered, mask);
  return mask;
}

/** Work, in steps, after which a filter finds what it asks of labels at hand. Throws SelectorError. */
export function readings(filter: Filter, columns: Columns): readonly Steps[] {
  if ("all" in filter) return filter.all.flatMap((each) => readings(each, columns));
  if ("any" in filter) return filter.any.flatMap((each) => readings(each, columns));
  if ("not" in filter) return readings(filter.not, columns);
  if ("labels" in filter) return [columns.labels.asking(filter.labels)];
  const label = "within" in filter ? undefined : columns.labelOf(filter.column);
  return label === undefined ? [] : [columns.labels.reading(label)];
}

/** As `evaluate`, for single rows in use, as they are when it is asked. Holds as long as the columns are there. */
export function tester(filter: Filter, filtered: Filtered): (row: number) => boolean {
  const { rows, columns } = filtered;
  if ("all" in filter) {
    const tests = filter.all.map((each) => tester(each, filtered));
    return (row) => tests.every((test) => test(row));
  }
  if ("any" in filter) {
    const tests = filter.any.map((each) => tester(each, filtered));
    return (row) => tests.some((test) => test(row));
  }
  if ("not" in filter) {
    const test = tester(filter.not, filtered);
    return (row) => !test(row);
  }
  if ("labels" in filter) {
    const requirements = parseSelector(filter.labels);
    return (row) => matches(requirements, columns.labels.get(row));
  }
  if ("within" in filter) return (row) => isWithin(filter.within, rows.keyOf(row));
  return columns.selector(filter.column).tester(filter);
}

/** Whether the object of a key is in a set. */
function isWithin({ namespaces, names }: ObjectSet, key: string): boolean {
  const slash = key.indexOf("/");
  const namespace = key.slice(0, Math.max(slash, 0));
  if (namespaces.has(namespace)) return true;
  const name = key.slice(slash + 1);
  return (names.get(namespace)?.has(name) ?? false) || (names.get("")?.has(name) ?? false);
}

function selectSet(set: ObjectSet, { rows, columns }: Filtered, out: Uint8Array): void {
  const { namespaces, names } = set;
  if (names.get("") !== undefined) {
    for (let row = 0; row < out.length; row++) out[row] = isWithin(set, rows.keyOf(row)) ? 1 : 0;
    return;
  }
  columns.namespaces.selectIds((text = "") => namespaces.has(text), out, out.length);
  for (const [namespace, inside] of names) {
    for (const name of inside) {
      const row = rows.find(`${namespace}/${name}`);
      if (row >= 0) out[row] = 1;
    }
  }
}

/** Takes out of `mask` what is not in `other`. */
export function and(mask: Uint8Array, other: Uint8Array): void {
  for (let row = 0; row < mask.length; row++) mask[row] = (mask[row] ?? 0) & (other[row] ?? 0);
}

/** Adds to `mask` what is in `other`. */
export function or(mask: Uint8Array, other: Uint8Array): void {
  for (let row = 0; row < mask.length; row++) mask[row] = (mask[row] ?? 0) | (other[row] ?? 0);
}

/** How many are 1. */
export function count(mask: Uint8Array): number {
  let total = 0;
  for (let row = 0; row < mask.length; row++) total += mask[row] ?? 0;
  return total;
}
