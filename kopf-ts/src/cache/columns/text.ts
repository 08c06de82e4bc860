import type { Column } from "./column.ts";
import { TextOrder } from "./compare.ts";
import { type Condition, isMembership, testOf } from "./condition.ts";
import { textComparison } from "./keyword.ts";
import { hasMember, oddMembers } from "./members.ts";
import { Substrings } from "./substrings.ts";
import { toText } from "./to-text.ts";

/** A column of mostly distinct texts, found by parts of them in one search over all texts joined. */
export class TextColumn implements Column {
  readonly #texts: (string | undefined)[] = [];
  /** Members that a text does not tell, by row. Rare. */
  readonly #odd = new Map<number, readonly string[]>();
  readonly #order = new TextOrder();
  readonly #view = new TextView((row) => this.#texts[row]);
  readonly #convert: (value: unknown) => string | undefined;

  /** `convert` makes the texts, of values and of what conditions name. */
  constructor(convert: (value: unknown) => string | undefined = toText) {
    this.#convert = convert;
  }

  set(row: number, value: unknown): boolean {
    const text = this.#convert(value);
    const odd = this.#convert === toText ? oddMembers(value, text) : undefined;
    if (this.#texts[row] === text && isSame(odd, this.#odd.get(row))) return false;
    this.#texts[row] = text;
    if (odd === undefined) this.#odd.delete(row);
    else this.#odd.set(row, odd);
    if (text !== undefined) this.#order.meet(text);
    this.#view.touch(row);
    return true;
  }

  delete(row: number): void {
    this.#texts[row] = undefined;
    this.#odd.delete(row);
    this.#view.touch(row);
  }

  get(row: number): string | undefined {
    return this.#texts[row];
  }

  compare(a: number, b: number, ignoreCase = false): number {
    const x = this.#texts[a];
    const y = this.#texts[b];
    if (x === undefined || y === undefined)
      return Number(x !== undefined) - Number(y !== undefined);
    return this.#order.compare(x, y, ignoreCase);
  }

  select(condition: Condition, out: Uint8Array, end: number): void {
    if (condition.op === "contains") {
      this.#view.select(condition, out, end);
    } else {
      const test = this.tester(condition);
      for (let row = 0; row < end; row++) out[row] = test(row) ? 1 : 0;
    }
  }

  tester(condition: Condition): (row: number) => boolean {
    if (isMembership(condition)) {
      const { op, value } = condition;
      const member = this.#convert(value);
      return (row) => {
        if (member === undefined) return op === "hasnot";
        return hasMember(this.#texts[row], this.#odd.get(row), member) === (op === "has");
      };
    }
    const comparison = { ...textComparison, parse: this.#convert };
    const test = testOf(condition, comparison);
    return (row) => test(this.#texts[row]);
  }

  get bytes(): number {
    return this.#texts.length * 8 + this.#view.bytes;
  }

  trim(): void {
    this.#view.trim();
  }

  dispose(): void {
    this.#texts.length = 0;
    this.#odd.clear();
    this.trim();
  }
}

function isSame(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((member, at) => member === b[at]);
}

/** The questions to a column of texts that somebody else keeps; `touch` tells it that the text of a row changed. */
export class TextView {
  readonly #read: (row: number) => string | undefined;
  #substrings: Substrings | undefined;

  constructor(read: (row: number) => string | undefined) {
    this.#read = read;
  }

  touch(row: number): void {
    this.#substrings?.touch(row);
  }

  select(condition: Condition, out: Uint8Array, end: number): void {
    if (condition.op === "contains") {
      this.#substrings ??= new Substrings(this.#read);
      this.#substrings.select(condition.value, out, end);
    } else {
      const test = this.tester(condition);
      for (let row = 0; row < end; row++) out[row] = test(row) ? 1 : 0;
    }
  }

  tester(condition: Condition): (row: number) => boolean {
    const test = testOf(condition, textComparison);
    return (row) => test(this.#read(row));
  }

  get bytes(): number {
    return this.#substrings?.bytes ?? 0;
  }

  trim(): void {
    this.#substrings = undefined;
  }
}
