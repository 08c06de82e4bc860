/** Turns pieces of JSON bytes into JavaScript values. What is broken throws a SyntaxError that does not quote it. */

import { parseJson, parseJsonExactly } from "../../kube/index.ts";
import { BACKSLASH, NESTING, OPENS, QUOTE } from "./skip.ts";

/** The characters of a string whose content (without quotes) lies at [start, end). Invalid UTF-8 becomes U+FFFD, as in JSON.parse of the decoded text. */
export function decodeString(bytes: Buffer, start: number, end: number): string {
  let seen = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === BACKSLASH) return String(parseJson(bytes.toString("utf8", start - 1, end + 1)));
    seen |= byte;
  }
  return bytes.toString(seen < 0x80 ? "latin1" : "utf8", start, end);
}

/** The string, number, boolean or null at [start, end); undefined for an object or array. As parseJsonExactly: integers that are not safe are bigints. */
export function decodeScalar(
  bytes: Buffer,
  start: number,
  end: number,
): string | number | bigint | boolean | null | undefined {
  const first = bytes[start];
  if (first === QUOTE) return decodeString(bytes, start + 1, end - 1);
  if (first === undefined || NESTING[first] === OPENS) return undefined;
  return parseJsonExactly(bytes, start, end) as number | bigint | boolean | null;
}

const LETTER_U = 0x75;

/** What the character behind a backslash stands for. */
const ESCAPED: ReadonlyMap<number, number> = new Map(
  [...'"\\/bfnrt'].map((each, i) => [each.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(i)]),
);

/**
 * Whether the characters of a string with escapes, at [start, end), are those of `text`. Builds nothing: a user's object may have a hundred
 * thousand keys with a `&`, which Go escapes. A broken escape equals nothing.
 */
export function escapedEqual(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  let i = start;
  for (const wanted of text) {
    const escaped = bytes[i] === BACKSLASH;
    const code = escaped ? codeAt(bytes, i + 1) : bytes[i];
    if (escaped && (code ?? 0) >= 0x80) {
      return wanted >= 0x80 && decodedEqual(bytes, start, end, text); // rare: a name beyond ASCII
    }
    if (code !== wanted) return false;
    i += escaped ? lengthAt(bytes, i + 1) : 1;
  }
  return i === end;
}

/** What the escape at `start`, behind its backslash, stands for; undefined when it is broken. */
function codeAt(bytes: Buffer, start: number): number | undefined {
  const kind = bytes[start] ?? 0;
  return kind === LETTER_U ? hexAt(bytes, start + 1) : ESCAPED.get(kind);
}

/** With the backslash. */
function lengthAt(bytes: Buffer, start: number): number {
  return bytes[start] === LETTER_U ? 6 : 2;
}

/** The number that four hexadecimal digits make; undefined when they are none. */
function hexAt(bytes: Buffer, start: number): number | undefined {
  let code = 0;
  for (let i = start; i < start + 4; i++) {
    const byte = bytes[i] ?? 0;
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) code = code * 16 + byte - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) code = code * 16 + letter - 0x57;
    else return undefined;
  }
  return code;
}

function decodedEqual(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  try {
    return Buffer.from(decodeString(bytes, start, end)).equals(text);
  } catch {
    return false;
  }
}

/** Whether the bytes at [start, end) are exactly those of `text`. */
export function bytesEqual(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false;
  return true;
}
