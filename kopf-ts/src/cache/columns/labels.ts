import { LRUCache } from "lru-cache";
import type { Rows } from "../rows.ts";
import { type Labels, matches, parseSelector, type Requirement } from "./selector.ts";

/** One distinct set of labels, as JSON text, and how many rows have it. */
interface LabelSet {
  readonly text: string;
  rows: number;
}

/** What is known about a selector: per label set 1 for a match, 2 for none, 0 for not asked yet. */
interface Memo {
  readonly requirements: readonly Requirement[];
  verdicts: Uint8Array<ArrayBuffer>;
}

/** Selectors whose verdicts are kept. */
const MEMOS = 64;

/**
 * The labels of every row, each distinct set once: the Pods of a ReplicaSet share theirs. A selector is evaluated once per distinct set and
 * the verdict kept, so selecting among 50,000 Pods is a walk over one array of integers.
 */
export class LabelColumn {
  readonly #ids = new Map<string, number>();
  readonly #sets: (LabelSet | undefined)[] = [{ text: "", rows: 0 }];
  readonly #free: number[] = [];
  /** Made with the first selector: it reserves its room at once, and most caches are never asked one. */
  #memos: LRUCache<string, Memo> | undefined;
  #setOf = new Uint32Array(0);

  constructor(rows: Rows) {
    rows.onResize((capacity) => {
      this.#setOf = new Uint32Array(this.#setOf.buffer.transfer(capacity * 4));
    });
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

  clear(): void {
    this.#ids.clear();
    this.#sets.length = 1;
    this.#free.length = 0;
    this.#memos = undefined;
    this.#setOf.fill(0);
  }

  #add(text: string): number {
    const id = this.#free.pop() ?? this.#sets.length;
    this.#sets[id] = { text, rows: 0 };
    this.#ids.set(text, id);
    for (const memo of this.#memos?.values() ?? []) {
      if (id < memo.verdicts.length) memo.verdicts[id] = 0;
    }
    return id;
  }

  #leave(id: number): void {
    const set = this.#sets[id];
    if (id === 0 || set === undefined || --set.rows > 0) return;
    this.#ids.delete(set.text);
    this.#sets[id] = undefined;
    this.#free.push(id);
  }

  /** Parsed when asked: most sets are asked for once per selector, or never. */
  #labelsOf(id: number): Labels {
    return parseLabels(this.#sets[id]?.text ?? "");
  }

  #memoOf(selector: string): Memo {
    this.#memos ??= new LRUCache({ max: MEMOS });
    const known = this.#memos.get(selector);
    const memo = known ?? { requirements: parseSelector(selector), verdicts: new Uint8Array(0) };
    if (known === undefined) this.#memos.set(selector, memo);
    if (memo.verdicts.length < this.#sets.length) {
      memo.verdicts = new Uint8Array(memo.verdicts.buffer.transfer(this.#sets.length * 2));
    }
    return memo;
  }

  #verdict({ requirements, verdicts }: Memo, id: number): boolean {
    const known = verdicts[id];
    if (known !== 0) return known === 1;
    const match = matches(requirements, this.#labelsOf(id));
    verdicts[id] = match ? 1 : 2;
    return match;
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
