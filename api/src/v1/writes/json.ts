/** JSON on its way through: every number stays as it was written. */

import { randomUUID } from "node:crypto";

/** What JavaScript's numbers would change: long ones, and those with a point or an exponent. */
const delicate = /\d{16}|\d\.\d|\d[eE]/;

/** Stands before such a number, which is kept as a text. Nobody can guess it, so no text of a caller becomes a number. */
const mark = `number ${randomUUID()} `;
const marked = new RegExp(`"${mark}([^"]*)"`, "g");

/** Reads what is to be written again with `writeSent`. Throws SyntaxError. Costs as much as JSON.parse, and some 10 ms more for megabytes of delicate numbers. */
export function parseSent(text: string): unknown {
  if (!delicate.test(text)) return JSON.parse(text);
  JSON.parse(text); // what is no JSON must not become so by the marks
  return JSON.parse(withMarks(text));
}

/** Writes what `parseSent` read. Throws RangeError for what is nested too deeply. */
export function writeSent(value: unknown): string {
  return JSON.stringify(value).replaceAll(marked, "$1");
}

/** Writes big integers as well. Throws RangeError for what is nested too deeply. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "bigint" ? rawJson(String(each)) : each,
  );
}

function withMarks(text: string): string {
  let found = "";
  for (let at = 0; ; ) {
    const start = text.indexOf('"', at);
    const between = start < 0 ? text.slice(at) : text.slice(at, start);
    found += between.replaceAll(/-?\d[\d.eE+-]*/g, (number) =>
      delicate.test(number) ? `"${mark}${number}"` : number,
    );
    if (start < 0) return found;
    at = endOfText(text, start);
    found += text.slice(start, at);
  }
}

/** Behind the quote that no backslash stands before. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === 0x5c) at++;
    else if (letter === 0x22) return at + 1;
  }
  return text.length;
}

/** A value that is written as it stands (TC39: proposal-json-parse-with-source). */
function rawJson(text: string): unknown {
  const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };
  return rawJSON === undefined ? Number(text) : rawJSON(text);
}
