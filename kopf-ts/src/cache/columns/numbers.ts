import type { Rows } from "../rows.ts";
import { type Column, toNumber, toTime } from "./column.ts";
import { compareNumbers } from "./compare.ts";
import { type Comparison, type Condition, testOf } from "./condition.ts";
import { toQuantity } from "./quantity.ts";

/** What such an integer takes in a map. */
const PER_ROUNDED = 64;

type Parser = (value: unknown) => number | bigint;

/** How values of a type are read; NaN for what is none of it. */
const parsers: Readonly<Record<"number" | "quantity" | "date", Parser>> = {
  ...{ number: toNumber, quantity: toQuantity, date: toTime },
};

/** A column of numbers or points in time: eight bytes per row, NaN where there is none. Integers that a double rounds are kept beside it. */
export class NumberColumn implements Column {
  readonly #rows: Rows;
  readonly #resize: (capacity: number) => void;
  readonly #parse: Parser;
  readonly #comparison: Comparison<number | bigint>;
  #values = new Float64Array(0);
  /** Integers of which `#values` has what they are rounded to, by row. Made for the first: nearly no column has any. */
  #rounded: Map<number, bigint> | undefined;

  constructor(rows: Rows, type: keyof typeof parsers) {
    this.#rows = rows;
    this.#parse = (value) => plainOf(parsers[type](value));
    this.#comparison = {
      parse: (value) => presentOf(this.#parse(value)),
      compare: compareNumbers,
      text: type === "date" ? (value) => new Date(Number(value)).toISOString() : String,
    };
    this.#resize = (capacity) => {
      const before = this.#values.length;
      this.#values = new Float64Array(this.#values.buffer.transfer(capacity * 8));
      this.#values.fill(Number.NaN, before);
    };
    rows.onResize(this.#resize);
  }

  set(row: number, value: unknown): boolean {
    const parsed = this.#parse(value);
    const number = Number(parsed);
    const differs = this.#setRounded(row, typeof parsed === "bigint" ? parsed : undefined);
    if (Object.is(this.#values[row], number)) return differs;
    this.#values[row] = number;
    return true;
  }

  delete(row: number): void {
    this.#values[row] = Number.NaN;
    this.#rounded?.delete(row);
  }

  get(row: number): number | bigint | undefined {
    return presentOf(this.#valueOf(row));
  }

  /** Rounding keeps the order: only what is rounded to the same number has to be looked at again. */
  compare(a: number, b: number): number {
    const order = compareNumbers(this.#values[a] ?? Number.NaN, this.#values[b] ?? Number.NaN);
    if (order !== 0 || this.#rounded === undefined) return order;
    return compareNumbers(this.#valueOf(a), this.#valueOf(b));
  }

  select(condition: Condition, out: Uint8Array, end: number): void {
    const test = this.tester(condition);
    for (let row = 0; row < end; row++) out[row] = test(row) ? 1 : 0;
  }

  tester(condition: Condition): (row: number) => boolean {
    const test = testOf(condition, this.#comparison);
    return (row) => test(this.get(row));
  }

  get bytes(): number {
    return this.#values.byteLength + (this.#rounded?.size ?? 0) * PER_ROUNDED;
  }

  trim(): void {}

  dispose(): void {
    this.#rows.offResize(this.#resize);
    this.#values = new Float64Array(0);
    this.#rounded = undefined;
  }

  #valueOf(row: number): number | bigint {
    return this.#rounded?.get(row) ?? this.#values[row] ?? Number.NaN;
  }

  /** True when it is another integer than before, or none any more. */
  #setRounded(row: number, integer: bigint | undefined): boolean {
    if (integer === undefined) return this.#rounded?.delete(row) ?? false;
    this.#rounded ??= new Map();
    const before = this.#rounded.get(row);
    this.#rounded.set(row, integer);
    return before !== integer;
  }
}

/** Numbers are equal in one way alone: a bigint only where a double would be another number. */
function plainOf(number: number | bigint): number | bigint {
  return typeof number === "bigint" && BigInt(Number(number)) === number ? Number(number) : number;
}

function presentOf(number: number | bigint): number | bigint | undefined {
  return Number.isNaN(number) ? undefined : number;
}
