import type { Rows } from "../rows.ts";
import { type Column, toNumber, toTime } from "./column.ts";
import { compareNumbers } from "./compare.ts";
import { type Comparison, type Condition, testOf } from "./condition.ts";
import { toQuantity } from "./quantity.ts";

/** How values of a type are read; NaN for what is none of it. */
const parsers: Readonly<Record<"number" | "quantity" | "date", (value: unknown) => number>> = {
  ...{ number: toNumber, quantity: toQuantity, date: toTime },
};

/** A column of numbers or points in time: eight bytes per row, NaN where there is none. */
export class NumberColumn implements Column {
  readonly #rows: Rows;
  readonly #resize: (capacity: number) => void;
  readonly #parse: (value: unknown) => number;
  readonly #comparison: Comparison<number>;
  #values = new Float64Array(0);

  constructor(rows: Rows, type: keyof typeof parsers) {
    this.#rows = rows;
    this.#parse = parsers[type];
    this.#comparison = {
      parse: (value) => presentOf(this.#parse(value)),
      compare: compareNumbers,
      text: type === "date" ? (value) => new Date(value).toISOString() : String,
    };
    this.#resize = (capacity) => {
      const before = this.#values.length;
      this.#values = new Float64Array(this.#values.buffer.transfer(capacity * 8));
      this.#values.fill(Number.NaN, before);
    };
    rows.onResize(this.#resize);
  }

  set(row: number, value: unknown): boolean {
    const number = this.#parse(value);
    if (Object.is(this.#values[row], number)) return false;
    this.#values[row] = number;
    return true;
  }

  delete(row: number): void {
    this.#values[row] = Number.NaN;
  }

  get(row: number): number | undefined {
    return presentOf(this.#values[row] ?? Number.NaN);
  }

  compare(a: number, b: number): number {
    return compareNumbers(this.#values[a] ?? Number.NaN, this.#values[b] ?? Number.NaN);
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
    return this.#values.byteLength;
  }

  trim(): void {}

  dispose(): void {
    this.#rows.offResize(this.#resize);
    this.#values = new Float64Array(0);
  }
}

function presentOf(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}
