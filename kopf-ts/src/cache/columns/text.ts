import type { Column } from "./column.ts";
import { TextOrder } from "./compare.ts";
import { type Condition, testOf } from "./condition.ts";
import { textComparison } from "./keyword.ts";
import { Substrings } from "./substrings.ts";
import { toText } from "./to-text.ts";

/** A column of mostly distinct texts, found by parts of them in one search over all texts joined. */
export class TextColumn implements Column {
  readonly #texts: (string | undefined)[] = [];
  readonly #order = new TextOrder();
  readonly #view = new TextView((row) => this.#texts[row]);

  set(row: number, value: unknown): boolean {
    const text = toText(value);
    if (this.#texts[row] === text) return false;
    this.#texts[row] = text;
    if (text !== undefined) this.#order.meet(text);
    this.#view.touch(row);
    return true;
  }

  delete(row: number): void {
    this.#texts[row] = undefined;
    this.#view.touch(row);
  }

  get(row: number): string | undefined {
    return this.#texts[row];
  }

  compare(a: number, b: number): number {
    const x = this.#texts[a];
    const y = this.#texts[b];
    if (x === undefined || y === undefined)
      return Number(x !== undefined) - Number(y !== undefined);
    return this.#order.compare(x, y);
  }

  select(condition: Condition, out: Uint8Array, end: number): void {
    this.#view.select(condition, out, end);
  }

  get bytes(): number {
    return this.#texts.length * 8 + this.#view.bytes;
  }

  trim(): void {
    this.#view.trim();
  }

  dispose(): void {
    this.#texts.length = 0;
    this.trim();
  }
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
      const test = testOf(condition, textComparison);
      for (let row = 0; row < end; row++) out[row] = test(this.#read(row)) ? 1 : 0;
    }
  }

  get bytes(): number {
    return this.#substrings?.bytes ?? 0;
  }

  trim(): void {
    this.#substrings = undefined;
  }
}
