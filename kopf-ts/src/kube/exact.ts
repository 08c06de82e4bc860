/** Reads JSON whose integers of 64 bits JavaScript's numbers would round. */

import { randomUUID } from "node:crypto";
import { parseNumber } from "../base/index.ts";
import { parseJson } from "./parse.ts";

/** Fewer digits make no integer that is not safe, ... */
const LONG = 16;
/** ... and more than 19 none of 64 bits. */
const longs = /(?<![\d.eE+-])-?\d{16,19}(?![\d.eE])/g;

/** Stands before such an integer while it is read as a text. Nobody can guess it, so no text of an object becomes a number. */
const mark = `integer ${randomUUID()} `;

/**
 * As parseJson, of bytes that are known to be JSON, but integers of 64 bits that are not safe are bigints, which JSON.stringify does not take. Costs as much and a
 * fiftieth where there are none, and some times as much where there are.
 */
export function parseJsonExactly(bytes: Buffer, start: number, end: number): unknown {
  const text = bytes.toString("utf8", start, end);
  if (!hasLongInteger(bytes, start, end)) return parseJson(text);
  return unmarked(parseJson(outsideTexts(text, longs, `"${mark}$&"`)));
}

/** Whether JSON may have integers that are not safe: true for few texts without. Looks at one byte in 16. */
export function hasLongInteger(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start + LONG - 1; at < end; at += LONG) {
    if (!isDigit(bytes[at])) continue;
    let first = at;
    while (first > start && isDigit(bytes[first - 1])) first--;
    while (at < end && isDigit(bytes[at])) at++;
    if (at - first >= LONG && isNumberAt(bytes, start, first)) return true;
  }
  return false;
}

/** JSON with what is found outside of its texts replaced. Texts, of which there may be many, are passed without looking at each of their letters. */
export function outsideTexts(json: string, pattern: RegExp, replacement: string): string {
  const found: string[] = [];
  let last = 0;
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const end = quote < 0 ? json.length : quote;
    const replaced = json.slice(at, end).replaceAll(pattern, replacement);
    if (replaced.length !== end - at) {
      found.push(json.slice(last, at), replaced);
      last = end;
    }
    at = quote < 0 ? end : endOfText(json, quote);
  }
  return found.join("") + json.slice(last);
}

/** Where a text of JSON that begins with the quote at `start` is over: behind the quote that no backslash stands before. */
export function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (json[first - 1] === "\\") first--;
    if ((at - first) % 2 === 0) return at + 1;
  }
  return json.length;
}

/** Puts numbers where marked texts are. Without recursion: objects may be deeper than the stack. */
function unmarked(root: unknown): unknown {
  const whole: Tree = { root };
  const waiting = [whole];
  for (let tree = waiting.pop(); tree !== undefined; tree = waiting.pop()) {
    for (const key of Object.keys(tree)) {
      const value = tree[key];
      if (typeof value === "object" && value !== null) waiting.push(value as Tree);
      else if (typeof value === "string" && value.startsWith(mark)) {
        tree[key] = parseNumber(value.slice(mark.length));
      }
    }
  }
  return whole.root;
}

/** An object or a list that was just read, by its keys. */
type Tree = Record<string, unknown>;

/** Whether digits follow what numbers in JSON follow, which those within texts and fractions seldom do. */
function isNumberAt(bytes: Buffer, start: number, first: number): boolean {
  const before = bytes[first - 1] === MINUS ? first - 2 : first - 1;
  return before < start || BEFORE_NUMBERS.has(bytes[before]);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

const MINUS = 0x2d;
const BEFORE_NUMBERS: ReadonlySet<number | undefined> = new Set(Buffer.from(":,[ \n\r\t"));
