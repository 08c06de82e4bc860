import { LRUCache } from "lru-cache";
import type { Steps } from "../background.ts";
import type { Rows } from "../rows.ts";
import { TextOrder } from "./compare.ts";
import { type Condition, testOf } from "./condition.ts";
import { textComparison } from "./keyword.ts";
import { type Labels, matches, parseSelector, type Requirement } from "./selector.ts";

/** One distinct set of labels, as JSON text, and how many rows have it. */
interface LabelSet {
  readonly text: string;
  rows: number;
}

/** What is known about a selector: per label set 1 for a match, 2 for none, 0 for not asked yet. */
interface Memo {
  readonly requirements: readonly Requirement[];
  /** Of a set that matches, JSON that escapes nothing has this in it. */
  readonly mark: string;
  verdicts: Uint8Array<ArrayBuffer>;
}

/** Selectors whose verdicts are kept. */
const MEMOS = 64;
/** What a set takes in maps and arrays beside its characters. */
const PER_SET = 100;
/** What one value of a label takes, with its text: most are short. */
const PER_VALUE = 48;
/** Labels whose values are kept apart. */
const VIEWS = 32;
/** Sets that are read in one step: half a millisecond. */
const AT_ONCE = 200;

/**
 * The labels of every row, each distinct set once: the Pods of a ReplicaSet share theirs. A selector is evaluated once per distinct set and
 * the verdict kept, so selecting among 50,000 Pods is a walk over one array of integers.
 */
export class LabelColumn {
  readonly #rows: Rows;
  readonly #resize: (capacity: number) => void;
  readonly #ids = new Map<string, number>();
  readonly #sets: (LabelSet | undefined)[] = [{ text: "", rows: 0 }];
  readonly #free: number[] = [];
  /** Made with the first selector: it reserves its room at once, and most caches are never asked one. */
  #memos: LRUCache<string, Memo> | undefined;
  /** Made with the first of them, for the same reason. */
  #views: LRUCache<string, LabelValues> | undefined;
  #setOf = new Uint32Array(0);
  #bytes = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#resize = (capacity) => {
      this.#setOf = new Uint32Array(this.#setOf.buffer.transfer(capacity * 4));
    };
    rows.onResize(this.#resize);
  }

  /** Takes the JSON text of metadata.labels, empty for none. True when it differs from what the row had. */
  set(row: number, text: string): boolean {
    const before = this.#setOf[row] ?? 0;
    if (this.#sets[before]?.text === text) return false;
    const id = text === "" ? 0 : (this.#ids.get(text) ?? this.#add(text));
    const set = this.#sets[id];
    if (set !== undefined) set.rows++;
    this.#setOf[row] = id;
    this.#leave(before);
    return true;
  }

  get(row: number): Labels {
    return this.#labelsOf(this.#setOf[row] ?? 0);
  }

  delete(row: number): void {
    this.#leave(this.#setOf[row] ?? 0);
    this.#setOf[row] = 0;
  }

  /** Takes out of `mask` the rows that the selector does not match. Throws SelectorError. */
  narrow(mask: Uint8Array, end: number, selector: string): void {
    const memo = this.#memoOf(selector);
    for (let row = 0; row < end; row++) {
      if (mask[row] === 1 && !this.#verdict(memo, this.#setOf[row] ?? 0)) mask[row] = 0;
    }
  }

  /** One label as a column. */
  view(name: string): LabelView {
    const setOf = (row: number): number => this.#setOf[row] ?? 0;
    return new LabelView(this.#valuesOf(name), setOf, () => this.#sets.length);
  }

  /** Asks a selector of every set, so that `narrow` has only to look. Throws SelectorError, before the first step. */
  asking(selector: string): Steps {
    const memo = (): Memo => this.#memoOf(selector);
    memo();
    return this.#each(
      (from) => memo().verdicts.indexOf(0, from),
      (id) => this.#verdict(memo(), id),
    );
  }

  /** Reads one label of every set, so that its view has only to look. */
  reading(name: string): Steps {
    const values = (): LabelValues => this.#valuesOf(name);
    return this.#each(
      (from) => values().unknown(from, this.#sets.length),
      (id) => values().get(id),
    );
  }

  /** Of the sets, which rows have them, and what searches keep. */
  get bytes(): number {
    let bytes = this.#setOf.byteLength + this.#bytes;
    for (const { verdicts } of this.#memos?.values() ?? []) bytes += verdicts.byteLength;
    for (const values of this.#views?.values() ?? []) bytes += values.bytes;
    return bytes;
  }

  /** Lets go of what only searches need. */
  trim(): void {
    this.#memos = undefined;
    this.#views = undefined;
  }

  /** Lets go of everything, for good. */
  dispose(): void {
    this.#rows.offResize(this.#resize);
    this.#bytes = 0;
    for (const values of this.#views?.values() ?? []) values.clear();
    this.trim();
    this.#ids.clear();
    this.#sets.length = 1;
    this.#free.length = 0;
    this.#setOf = new Uint32Array(0);
  }

  #add(text: string): number {
    const id = this.#free.pop() ?? this.#sets.length;
    this.#sets[id] = { text, rows: 0 };
    this.#ids.set(text, id);
    this.#bytes += text.length + PER_SET;
    for (const memo of this.#memos?.values() ?? []) {
      if (id < memo.verdicts.length) memo.verdicts[id] = 0;
    }
    return id;
  }

  #leave(id: number): void {
    const set = this.#sets[id];
    if (id === 0 || set === undefined || --set.rows > 0) return;
    this.#ids.delete(set.text);
    this.#bytes -= set.text.length + PER_SET;
    this.#sets[id] = undefined;
    this.#free.push(id);
  }

  /** Looks at sets in steps; `next` finds those that are to be looked at. */
  *#each(next: (from: number) => number, look: (id: number) => void): Steps {
    let looked = 0;
    for (let id = next(0); id >= 0 && id < this.#sets.length; id = next(id + 1)) {
      look(id);
      if (++looked % AT_ONCE === 0) yield;
    }
  }

  #valuesOf(name: string): LabelValues {
    this.#views ??= new LRUCache({ max: VIEWS });
    const known = this.#views.get(name);
    const values = known ?? new LabelValues(name, (id) => this.#sets[id]);
    if (known === undefined) this.#views.set(name, values);
    return values;
  }

  /** Parsed when asked: most sets are asked for once per selector, or never. */
  #labelsOf(id: number): Labels {
    return parseLabels(this.#sets[id]?.text ?? "");
  }

  #memoOf(selector: string): Memo {
    this.#memos ??= new LRUCache({ max: MEMOS });
    const known = this.#memos.get(selector);
    const memo = known ?? memoOf(parseSelector(selector));
    if (known === undefined) this.#memos.set(selector, memo);
    if (memo.verdicts.length < this.#sets.length) {
      memo.verdicts = new Uint8Array(memo.verdicts.buffer.transfer(this.#sets.length * 2));
    }
    return memo;
  }

  #verdict({ requirements, mark, verdicts }: Memo, id: number): boolean {
    const known = verdicts[id];
    if (known !== 0) return known === 1;
    const text = this.#sets[id]?.text ?? "";
    const mayMatch = text.includes(mark) || text.includes("\\");
    const match = mayMatch && matches(requirements, parseLabels(text));
    verdicts[id] = match ? 1 : 2;
    return match;
  }
}

/** Most selectors want a value that few sets have. */
function memoOf(requirements: readonly Requirement[]): Memo {
  const wanted = requirements.map((each) => (each.operator === "in" ? each.values : []));
  const [value] = wanted.find(({ length }) => length === 1) ?? [];
  const mark = value === undefined ? "" : JSON.stringify(value);
  return { requirements, mark, verdicts: new Uint8Array(0) };
}

/** The values of one label by label set, each read once. */
class LabelValues {
  readonly order: TextOrder = new TextOrder();
  readonly #name: string;
  /** The name as JSON has it, as long as nothing is escaped. */
  readonly #quoted: string;
  readonly #setAt: (id: number) => LabelSet | undefined;
  /** Which set a value was read of: the number may stand for another one now. */
  readonly #known: (LabelSet | undefined)[] = [];
  readonly #values: (string | undefined)[] = [];

  constructor(name: string, setAt: (id: number) => LabelSet | undefined) {
    this.#name = name;
    this.#quoted = JSON.stringify(name);
    this.#setAt = setAt;
  }

  get(id: number): string | undefined {
    const set = this.#setAt(id);
    if (set === undefined || this.#known[id] === set) return this.#values[id];
    const value = this.#read(set.text);
    this.#known[id] = set;
    this.#values[id] = value;
    if (value !== undefined) this.order.meet(value);
    return value;
  }

  /** The first set from there on, and before the end, that was not read; -1 for none. */
  unknown(from: number, end: number): number {
    for (let id = from; id < end; id++) {
      const set = this.#setAt(id);
      if (set !== undefined && this.#known[id] !== set) return id;
    }
    return -1;
  }

  get bytes(): number {
    return this.#known.length * PER_VALUE;
  }

  clear(): void {
    this.#known.length = 0;
    this.#values.length = 0;
  }

  #read(text: string): string | undefined {
    if (!text.includes(this.#quoted) && !text.includes("\\")) return undefined;
    const labels = parseLabels(text);
    return Object.hasOwn(labels, this.#name) ? labels[this.#name] : undefined;
  }
}

/** One label, asked and compared like a column. */
export class LabelView {
  readonly #values: LabelValues;
  readonly #setOf: (row: number) => number;
  readonly #sets: () => number;

  constructor(values: LabelValues, setOf: (row: number) => number, sets: () => number) {
    this.#values = values;
    this.#sets = sets;
    this.#setOf = setOf;
  }

  get(row: number): string | undefined {
    return this.#values.get(this.#setOf(row));
  }

  compare(a: number, b: number, ignoreCase = false): number {
    const x = this.get(a);
    const y = this.get(b);
    if (x === undefined || y === undefined)
      return Number(x !== undefined) - Number(y !== undefined);
    return this.#values.order.compare(x, y, ignoreCase);
  }

  select(condition: Condition, out: Uint8Array, end: number): void {
    const test = testOf(condition, textComparison);
    const verdicts = new Uint8Array(this.#sets()); // as those of a Memo
    for (let row = 0; row < end; row++) {
      const set = this.#setOf(row);
      if (verdicts[set] === 0) verdicts[set] = test(this.#values.get(set)) ? 1 : 2;
      out[row] = verdicts[set] === 1 ? 1 : 0;
    }
  }

  tester(condition: Condition): (row: number) => boolean {
    const test = testOf(condition, textComparison);
    return (row) => test(this.get(row));
  }
}

/** Labels that are not what Kubernetes allows (nothing of ours writes them) count as none. */
function parseLabels(text: string): Labels {
  if (text === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isLabels(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function isLabels(value: unknown): value is Labels {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => typeof each === "string");
}
