import type { Rows } from "../rows.ts";
import type { Column } from "./column.ts";
import { compareText, TextOrder } from "./compare.ts";
import { type Comparison, type Condition, testOf } from "./condition.ts";
import { toText } from "./to-text.ts";

/** How texts are compared with what a condition names. */
export const textComparison: Comparison<string> = {
  parse: String,
  compare: compareText,
  text: (value) => value,
};

/** A column of few distinct texts: four bytes per row, each text once, freed with its last row. A condition is tried once per text. */
export class KeywordColumn implements Column {
  readonly #rows: Rows;
  readonly #resize: (capacity: number) => void;
  readonly #ids = new Map<string, number>();
  /** Place 0 stands for an absent value. */
  readonly #texts: (string | undefined)[] = [undefined];
  readonly #counts: number[] = [0];
  readonly #free: number[] = [];
  readonly #order = new TextOrder();
  #idOf = new Uint32Array(0);

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#resize = (capacity) => {
      this.#idOf = new Uint32Array(this.#idOf.buffer.transfer(capacity * 4));
    };
    rows.onResize(this.#resize);
  }

  set(row: number, value: unknown): boolean {
    const text = toText(value);
    const before = this.#idOf[row] ?? 0;
    if (this.#texts[before] === text) return false;
    const id = text === undefined ? 0 : (this.#ids.get(text) ?? this.#add(text));
    this.#counts[id] = (this.#counts[id] ?? 0) + 1;
    this.#idOf[row] = id;
    this.#leave(before);
    return true;
  }

  delete(row: number): void {
    this.#leave(this.#idOf[row] ?? 0);
    this.#idOf[row] = 0;
  }

  get(row: number): string | undefined {
    return this.#texts[this.#idOf[row] ?? 0];
  }

  compare(a: number, b: number): number {
    const x = this.#idOf[a] ?? 0;
    const y = this.#idOf[b] ?? 0;
    if (x === y) return 0;
    if (x === 0 || y === 0) return x - y;
    return this.#order.compare(this.#texts[x] ?? "", this.#texts[y] ?? "");
  }

  select(condition: Condition, out: Uint8Array, end: number): void {
    const test = testOf(condition, textComparison);
    const verdicts = Uint8Array.from(this.#texts, (text) => (test(text) ? 1 : 0));
    for (let row = 0; row < end; row++) out[row] = verdicts[this.#idOf[row] ?? 0] ?? 0;
  }

  /** The rows that have the text. */
  *rowsOf(text: string): Generator<number, void> {
    const id = this.#ids.get(text);
    if (id === undefined) return;
    for (let row = 0; row < this.#rows.end; row++) if (this.#idOf[row] === id) yield row;
  }

  /** Each distinct text and how many rows have it. */
  *counts(): Generator<readonly [string, number], void> {
    for (const [text, id] of this.#ids) yield [text, this.#counts[id] ?? 0];
  }

  get bytes(): number {
    return this.#idOf.byteLength;
  }

  trim(): void {}

  dispose(): void {
    this.#rows.offResize(this.#resize);
    this.#ids.clear();
    this.#texts.length = 1;
    this.#counts.length = 1;
    this.#free.length = 0;
    this.#idOf = new Uint32Array(0);
  }

  #add(text: string): number {
    const id = this.#free.pop() ?? this.#texts.length;
    this.#texts[id] = text;
    this.#order.meet(text);
    this.#counts[id] = 0;
    this.#ids.set(text, id);
    return id;
  }

  #leave(id: number): void {
    const left = (this.#counts[id] ?? 0) - 1;
    if (id === 0) return;
    this.#counts[id] = left;
    if (left > 0) return;
    this.#ids.delete(this.#texts[id] ?? "");
    this.#texts[id] = undefined;
    this.#free.push(id);
  }
}
