/** Orders of rows: those that a cache does not know, because other objects have the values, and those of several caches together. */

import { type Cache, parseNumber } from "kopf-ts";
import type { Field } from "../fields/index.ts";
import type { SortKey } from "../query/sort.ts";
import { type FieldOf, sortOf } from "./filters.ts";
import type { Joins } from "./joins.ts";

/** Compares the keys of two objects; zero for those that are equal in all sort keys. */
export type CompareKeys = (a: string, b: string) => number;

/** A number or text by which an object is ordered. */
type Rank = number | bigint | string;

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
  return values.map((value) => (typeof value === "string" ? lower(value) : (value ?? "")));
}

/** Numbers first, then what is none by its text. */
function ranksOfText(text: string, isNumber: boolean): readonly Rank[] {
  if (!isNumber) return [lower(text)];
  const number = parseNumber(text);
  return [Number.isNaN(number) ? Number.POSITIVE_INFINITY : number, lower(text)];
}

/** What a row has in one sort key: numbers and texts, the first that differ decide. */
export type SortValues = readonly (Rank | undefined)[];

/** Where a sort key puts rows. */
export interface Direction {
  readonly descending: boolean;
  /** Where rows without a value are, unless texts say so themselves. */
  readonly absent: "first" | "last";
}

/** By what rows are in order, as values that can be compared with those of other caches. */
export interface RowOrder {
  readonly directions: readonly Direction[];
  /** Of a row by its key; those of each sort key. */
  valuesOf(key: string): readonly SortValues[];
}

/** The order that the same sort keys have in every cache. */
export function rowOrder(
  keys: readonly SortKey[],
  fieldOf: FieldOf,
  joins: Joins,
  cache: Cache,
): RowOrder {
  const each = keys.map((key) => {
    const join = joins.get(fieldOf(key.field));
    const { what } = sortOf([key], fieldOf);
    const isNumber = fieldOf(key.field).order.length > 1;
    const read = (row: string): SortValues =>
      join === undefined
        ? what.map(({ column }) => cache.valueOf(row, column))
        : ranksOfText(join.valueOf(row), isNumber);
    const absent = what[0]?.absent ?? "first";
    return { read, direction: { descending: key.descending, absent } };
  });
  return {
    directions: each.map(({ direction }) => direction),
    valuesOf: (row) => each.map(({ read }) => read(row)),
  };
}

/** Compares what two rows have in all sort keys; zero where nothing differs. Numbers come before texts, whose case does not count. */
export function compareRows(
  a: readonly SortValues[],
  b: readonly SortValues[],
  directions: readonly Direction[],
): number {
  for (const [index, direction] of directions.entries()) {
    const order = compareValues(a[index] ?? [], b[index] ?? [], direction);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(a: SortValues, b: SortValues, direction: Direction): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [x, y] = [a[at], b[at]];
    const order =
      x === undefined || y === undefined
        ? compareAbsent(x, y, direction)
        : compareValue(x, y) * (direction.descending ? -1 : 1);
    if (order !== 0) return order;
  }
  return 0;
}

function compareAbsent(x: unknown, y: unknown, { absent }: Direction): number {
  if (x === y) return 0;
  return (x === undefined) === (absent === "first") ? -1 : 1;
}

function compareValue(a: Rank, b: Rank): number {
  if (typeof a === "string" && typeof b === "string") return inOrder(folded(a), folded(b));
  if (typeof a === "string" || typeof b === "string") return typeof b === "string" ? -1 : 1;
  return inOrder(a, b);
}

/** Numbers may be infinite, and bigints beside others. */
function inOrder(a: Rank, b: Rank): number {
  return a < b ? -1 : Number(a > b);
}

/** As SQLite's NOCASE: `A` to `Z` alone. */
function folded(text: string): string {
  return /[A-Z]/.test(text) ? text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase()) : text;
}

function lower(value: Rank | undefined): string {
  return String(value ?? "").toLowerCase();
}

function compare(a: readonly Rank[], b: readonly Rank[]): number {
  for (const [index, rank] of a.entries()) {
    const order = inOrder(rank, b[index] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}
