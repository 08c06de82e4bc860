/** What tells one state of an object from another: uid and resourceVersion, in 24 bytes outside the heap instead of two strings. */

import type { Rows } from "./rows.ts";

/** resourceVersions by row. Decimal ones (all that etcd makes) are numbers, others strings on the side. */
export class ResourceVersions {
  #numbers = new Float64Array(0);
  readonly #texts = new Map<number, string>();

  constructor(rows: Rows) {
    rows.onResize((capacity) => {
      this.#numbers = new Float64Array(this.#numbers.buffer.transfer(capacity * 8));
    });
  }

  set(row: number, text: string): void {
    const number = toNumber(text);
    this.#numbers[row] = number;
    if (number < 0) this.#texts.set(row, text);
    else if (this.#texts.size > 0) this.#texts.delete(row);
  }

  get(row: number): string {
    const number = this.#numbers[row] ?? -1;
    return number < 0 ? (this.#texts.get(row) ?? "") : String(number);
  }

  is(row: number, text: string): boolean {
    const number = toNumber(text);
    return this.#numbers[row] === number && (number >= 0 || this.#texts.get(row) === text);
  }

  /** Whether the row's is certainly newer: both must be decimal numbers. */
  isNewer(row: number, text: string): boolean {
    const number = toNumber(text);
    return number >= 0 && (this.#numbers[row] ?? -1) > number;
  }

  delete(row: number): void {
    this.#texts.delete(row);
  }

  clear(): void {
    this.#texts.clear();
  }
}

/** -1 for what would not come back as the same text. */
function toNumber(text: string): number {
  if (text.length === 0 || text.length > 15) return -1;
  if (text.length > 1 && text.charCodeAt(0) === 0x30) return -1;
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** uids by row. Lower-case UUIDs are 16 bytes, anything else a string on the side. */
export class Uids {
  #words = new Uint32Array(0);
  readonly #texts = new Map<number, string>();

  constructor(rows: Rows) {
    rows.onResize((capacity) => {
      this.#words = new Uint32Array(this.#words.buffer.transfer(capacity * 16));
    });
  }

  set(row: number, text: string): void {
    this.#texts.delete(row);
    if (UUID.test(text)) {
      for (let word = 0; word < 4; word++) this.#words[row * 4 + word] = wordOf(text, word);
      return;
    }
    this.#words.fill(0, row * 4, row * 4 + 4);
    this.#texts.set(row, text);
  }

  get(row: number): string {
    const text = this.#texts.get(row);
    if (text !== undefined) return text;
    const hex = [0, 1, 2, 3].map((word) => hexOf(this.#words[row * 4 + word] ?? 0)).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  is(row: number, text: string): boolean {
    const own = this.#texts.get(row);
    if (own !== undefined) return own === text;
    if (!UUID.test(text)) return false;
    for (let word = 0; word < 4; word++) {
      if (this.#words[row * 4 + word] !== wordOf(text, word)) return false;
    }
    return true;
  }

  delete(row: number): void {
    this.#texts.delete(row);
  }

  clear(): void {
    this.#texts.clear();
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Where the eight digits of each word stand in the text. */
const DIGITS: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7],
  [9, 10, 11, 12, 14, 15, 16, 17],
  [19, 20, 21, 22, 24, 25, 26, 27],
  [28, 29, 30, 31, 32, 33, 34, 35],
];

function wordOf(text: string, word: number): number {
  let value = 0;
  for (const at of DIGITS[word] ?? []) {
    const code = text.charCodeAt(at);
    value = (value << 4) | (code - (code < 0x3a ? 0x30 : 0x57));
  }
  return value >>> 0;
}

function hexOf(word: number): string {
  return word.toString(16).padStart(8, "0");
}
