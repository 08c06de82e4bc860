/** JSON on its way through: numbers stay as they were written, also those that JavaScript cannot hold, and so do keys that are there twice. */

import { randomUUID } from "node:crypto";
import { outsideTexts } from "kopf-ts/kube";
import { withoutRepeats, withRepeats } from "./repeated-keys.ts";

/** What JavaScript's numbers would change: long ones, and those with a point or an exponent. */
const delicate = /\d{16}|\d\.\d|\d[eE]/;
const delicates = /-?\d+[.eE][\d.eE+-]*|-?\d{16,}/g;

/** API servers write numbers much as JavaScript does, unless they are long. Most objects have none. */
const long = /\d{16}/;

/** Stands before such a number, which is kept as a text. Nobody can guess it, so no text of a caller becomes a number. */
const mark = `number ${randomUUID()} `;
const marked = new RegExp(`"${mark}([^"]*)"`, "g");

/** Reads what somebody sent, to be written again with `writeExact`. Throws SyntaxError. Costs two or three times what JSON.parse does. */
export function parseSent(text: string): unknown {
  const value: unknown = JSON.parse(text); // what is no JSON must not become so by the marks
  const once = withoutRepeats(text);
  if (delicate.test(text)) return JSON.parse(withMarks(once));
  return once === text ? value : JSON.parse(once);
}

/** As parseSent, of what is known to be JSON of an API server: numbers keep their value, and long ones their digits. */
export function parseExact(text: string): unknown {
  return JSON.parse(long.test(text) ? withMarks(text) : text);
}

/** Writes what `parseSent` or `parseExact` read. Throws RangeError for what is nested too deeply. */
export function writeExact(value: unknown): string {
  return withRepeats(JSON.stringify(value).replaceAll(marked, "$1"));
}

/** Whether a text stands for a number. */
export function isExact(text: string): boolean {
  return text.startsWith(mark);
}

/** Nothing where objects are nested deeper than JavaScript can write them; nobody but a hostile user makes such. */
export function unlessTooDeep<T>(write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function withMarks(text: string): string {
  return outsideTexts(text, delicates, `"${mark}$&"`);
}
