/** One value per row, in the form that suits its type. */

import { parseNumber } from "../../base/index.ts";
import type { Condition, Value } from "./condition.ts";

/**
 * How a column keeps its values. `keyword`: few distinct values, each kept once. `text`: mostly distinct values that are searched for parts.
 * `number`, exact for integers of 64 bits; `quantity` for texts such as `100m` and `1Gi`, which are kept as numbers; `date` for RFC 3339 texts, which are kept as milliseconds.
 * `address` for IP addresses, kept as texts that sort as they do, v4 before v6. What is none of its type is absent.
 */
export type ColumnType = "keyword" | "text" | "number" | "quantity" | "date" | "address";

/**
 * Names what of an object becomes a column: the value at a path (the name itself unless told), or what a pure function makes of the object.
 * Values other than strings, numbers and booleans become JSON text; arrays of those are joined by `|`, and their members found by `has`. See
 * toText for what is very large.
 */
export interface ColumnSpec<T = unknown> {
  readonly name: string;
  /** `keyword` unless told. */
  readonly type?: ColumnType;
  readonly path?: string;
  readonly from?: (object: T) => unknown;
  /** `from` is given objects whose integers of 64 bits are bigints where they are not safe (`Number.isSafeInteger`), instead of rounded. Those at paths always are. */
  readonly exact?: boolean;
}

/** What every column can do. Absent values come before all others. */
export interface Column {
  /** True when the value differs from what was there. */
  set(row: number, value: unknown): boolean;
  delete(row: number): void;
  get(row: number): Value | undefined;
  /** `ignoreCase`: as compareNoCase, where values are texts. */
  compare(a: number, b: number, ignoreCase?: boolean): number;
  /** Writes 1 to `out` for each of the rows below `end` where the condition holds, else 0. Rows that are free may come out either way. */
  select(condition: Condition, out: Uint8Array, end: number): void;
  /** The same for single rows, as they are when it is asked. */
  tester(condition: Condition): (row: number) => boolean;
  /** Bytes outside the heap, and in it as far as they are easily known. */
  readonly bytes: number;
  /** Lets go of what only searches need. */
  trim(): void;
  /**
   * Lets go of every value. Dropping the column is not enough: V8 compiles what a sort calls on another thread, and until that is done (or
   * thrown away) it holds the comparer and whatever that reaches.
   */
  dispose(): void;
}

/** The number of a value, NaN when it is absent or no number; a bigint for an integer of 64 bits that is not safe. */
export function toNumber(value: unknown): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return typeof value === "string" ? parseNumber(value) : Number.NaN;
}

/** Milliseconds since the Unix epoch, NaN when the value is absent or no date. */
export function toTime(value: unknown): number {
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}
