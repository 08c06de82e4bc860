import type { Rows } from "../rows.ts";
import type { Column } from "./column.ts";
import { compareText, TextOrder } from "./compare.ts";
import { type Comparison, type Condition, isMembership, testOf } from "./condition.ts";
import { hasMember, oddMembers } from "./members.ts";
import { toText } from "./to-text.ts";

/** How texts are compared with what a condition names. */
export const textComparison: Comparison<string> = {
  parse: String,
  compare: compareText,
  text: (value) => value,
};

/** What a distinct text takes in maps and arrays beside its characters. */
const PER_TEXT = 80;

/** A column of few distinct texts: four bytes per row, each text once, freed with its last row. A condition is tried once per text. */
export class KeywordColumn implements Column {
  readonly #rows: Rows;
  readonly #resize: (capacity: number) => void;
  readonly #ids = new Map<string, number>();
  /** Of values whose members their text does not tell, by text and members; and these members. Rare. */
  readonly #oddIds = new Map<string, number>();
  readonly #odd = new Map<number, readonly string[]>();
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
    const odd = oddMembers(value, text);
    const before = this.#idOf[row] ?? 0;
    if (odd === undefined && this.#texts[before] === text && !this.#odd.has(before)) return false;
    const id = text === undefined ? 0 : this.#idFor(text, odd);
    if (id === before) return false;
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

  compare(a: number, b: number, ignoreCase = false): number {
    const x = this.#idOf[a] ?? 0;
    const y = this.#idOf[b] ?? 0;
    if (x === y) return 0;
    if (x === 0 || y === 0) return x - y;
    return this.#order.compare(this.#texts[x] ?? "", this.#texts[y] ?? "", ignoreCase);
  }

  select(condition: Condition, out: Uint8Array, end: number): void {
    const holds = this.#verdict(condition);
    this.selectIds((_, id) => holds(id), out, end);
  }

  /** As `select`, with a question of the caller's to each distinct text. */
  selectIds(
    holds: (text: string | undefined, id: number) => boolean,
    out: Uint8Array,
    end: number,
  ): void {
    const verdicts = new Uint8Array(this.#texts.length);
    for (let id = 0; id < verdicts.length; id++) verdicts[id] = holds(this.#texts[id], id) ? 1 : 0;
    for (let row = 0; row < end; row++) out[row] = verdicts[this.#idOf[row] ?? 0] ?? 0;
  }

  tester(condition: Condition): (row: number) => boolean {
    const holds = this.#verdict(condition);
    return (row) => holds(this.#idOf[row] ?? 0);
  }

  /** The rows that have the text. */
  *rowsOf(text: string): Generator<number, void> {
    const id = this.#ids.get(text);
    if (id === undefined) return;
    for (let row = 0; row < this.#rows.end; row++) if (this.#idOf[row] === id) yield row;
  }

  /** Each distinct text and how many rows have it; lists that differ in their members alone share a text. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [id, text] of this.#texts.entries()) {
      if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + (this.#counts[id] ?? 0));
    }
    return counts;
  }

  get bytes(): number {
    return this.#idOf.byteLength + this.#ids.size * PER_TEXT;
  }

  trim(): void {}

  dispose(): void {
    this.#rows.offResize(this.#resize);
    this.#ids.clear();
    this.#oddIds.clear();
    this.#odd.clear();
    this.#texts.length = 1;
    this.#counts.length = 1;
    this.#free.length = 0;
    this.#idOf = new Uint32Array(0);
  }

  #verdict(condition: Condition): (id: number) => boolean {
    if (isMembership(condition)) {
      const { op, value } = condition;
      return (id) => hasMember(this.#texts[id], this.#odd.get(id), value) === (op === "has");
    }
    const test = testOf(condition, textComparison);
    return (id) => test(this.#texts[id]);
  }

  #idFor(text: string, odd: readonly string[] | undefined): number {
    if (odd === undefined) return this.#ids.get(text) ?? this.#add(text, this.#ids, text);
    const name = JSON.stringify(odd);
    const known = this.#oddIds.get(name);
    if (known !== undefined) return known;
    const id = this.#add(text, this.#oddIds, name);
    this.#odd.set(id, odd);
    return id;
  }

  #add(text: string, ids: Map<string, number>, name: string): number {
    const id = this.#free.pop() ?? this.#texts.length;
    this.#texts[id] = text;
    this.#order.meet(text);
    this.#counts[id] = 0;
    ids.set(name, id);
    return id;
  }

  #leave(id: number): void {
    const left = (this.#counts[id] ?? 0) - 1;
    if (id === 0) return;
    this.#counts[id] = left;
    if (left > 0) return;
    const odd = this.#odd.get(id);
    if (odd === undefined) this.#ids.delete(this.#texts[id] ?? "");
    else this.#oddIds.delete(JSON.stringify(odd));
    this.#odd.delete(id);
    this.#texts[id] = undefined;
    this.#free.push(id);
  }
}
