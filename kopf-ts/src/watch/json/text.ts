/** Turns pieces of JSON bytes into JavaScript values. */

import { BACKSLASH, NESTING, OPENS, QUOTE } from "./skip.ts";

/** The characters of a string whose content (without quotes) lies at [start, end). Invalid UTF-8 becomes U+FFFD, as in JSON.parse of the decoded text. */
export function decodeString(bytes: Buffer, start: number, end: number): string {
  let seen = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === BACKSLASH) return JSON.parse(bytes.toString("utf8", start - 1, end + 1));
    seen |= byte;
  }
  return bytes.toString(seen < 0x80 ? "latin1" : "utf8", start, end);
}

/** The string, number, boolean or null at [start, end); undefined for an object or array. */
export function decodeScalar(
  bytes: Buffer,
  start: number,
  end: number,
): string | number | boolean | null | undefined {
  const first = bytes[start];
  if (first === QUOTE) return decodeString(bytes, start + 1, end - 1);
  if (first === undefined || NESTING[first] === OPENS) return undefined;
  return JSON.parse(bytes.toString("latin1", start, end));
}

/** Whether the bytes at [start, end) are exactly those of `text`. */
export function bytesEqual(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false;
  return true;
}
