/** Orders that a cache does not know, because other objects have the values. */

import type { Cache } from "kopf-ts";
import type { Field } from "../fields/index.ts";
import type { SortKey } from "../query/sort.ts";
import type { FieldOf } from "./filters.ts";
import type { Joins } from "./joins.ts";

/** Compares the keys of two objects; zero for those that are equal in all sort keys. */
export type CompareKeys = (a: string, b: string) => number;

/** A number or text by which an object is ordered. */
type Rank = number | string;

/** Undefined when the cache can order by all of the fields. Each object is looked at once. */
export function joinedOrder(
  keys: readonly SortKey[],
  fieldOf: FieldOf,
  joins: Joins,
  cache: Cache,
): CompareKeys | undefined {
  const sorted = keys.map(({ field, descending }) => ({ field: fieldOf(field), descending }));
  if (!sorted.some(({ field }) => joins.has(field))) return undefined;
  const known = new Map<string, readonly (readonly Rank[])[]>();
  const ranksOf = (key: string): readonly (readonly Rank[])[] => {
    const ranks = known.get(key) ?? sorted.map(({ field }) => ranksIn(field, key, joins, cache));
    known.set(key, ranks);
    return ranks;
  };
  return (a, b) => {
    const [ranksOfA, ranksOfB] = [ranksOf(a), ranksOf(b)];
    for (const [index, { descending }] of sorted.entries()) {
      const order = compare(ranksOfA[index] ?? [], ranksOfB[index] ?? []);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  };
}

/** As the cache's own orders are: labels that are absent last, other texts that are absent first. */
function ranksIn(field: Field, key: string, joins: Joins, cache: Cache): readonly Rank[] {
  const join = joins.get(field);
  if (join !== undefined) return ranksOfText(join.valueOf(key), field.order.length > 1);
  const values = field.order.map(({ column }) => cache.valueOf(key, column));
  if (field.label !== undefined) return [values[0] === undefined ? 1 : 0, lower(values[0])];
  return values.map((value) => (typeof value === "number" ? value : lower(value)));
}

/** Numbers first, then what is none by its text. */
function ranksOfText(text: string, isNumber: boolean): readonly Rank[] {
  if (!isNumber) return [lower(text)];
  const number = text === "" ? Number.NaN : Number(text);
  return [Number.isNaN(number) ? Number.POSITIVE_INFINITY : number, lower(text)];
}

function lower(value: Rank | undefined): string {
  return String(value ?? "").toLowerCase();
}

function compare(a: readonly Rank[], b: readonly Rank[]): number {
  for (const [index, rank] of a.entries()) {
    const other = b[index] ?? "";
    if (rank !== other) return rank < other ? -1 : 1;
  }
  return 0;
}
