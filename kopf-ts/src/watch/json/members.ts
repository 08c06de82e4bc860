import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  INCOMPLETE,
  OPEN_BRACE,
  QUOTE,
  skipSpace,
  skipStringBody,
  skipValue,
} from "./skip.ts";
import { escapedEqual } from "./text.ts";

/**
 * Walks the members of one JSON object. After each `next` that returned true, go over the value with `skip`, or step into it and tell
 * `leave` where it ended. When `next` returns false, `end` is the index behind the closing brace, or INCOMPLETE for a broken object.
 */
export class Members {
  readonly bytes: Buffer;
  /** The key without its quotes. */
  keyStart = 0;
  keyEnd = 0;
  /** Of the key's bytes; -1 when it holds a backslash, so that they are not its characters. */
  keyLength = 0;
  /** Where the member begins: at the comma before it, or at its key when it is the first. */
  memberStart = 0;
  valueStart = 0;
  end: number = INCOMPLETE;
  readonly #limit: number;
  #at: number;
  #first = true;

  /** `start` is at the opening brace. */
  constructor(bytes: Buffer, start: number, limit: number) {
    this.bytes = bytes;
    this.#limit = limit;
    this.#at = bytes[start] === OPEN_BRACE && start < limit ? start + 1 : limit;
  }

  next(): boolean {
    const { bytes } = this;
    const limit = this.#limit;
    let i = skipSpace(bytes, this.#at, limit);
    if (i >= limit) return false;
    this.memberStart = i;
    if (bytes[i] === CLOSE_BRACE) {
      this.end = i + 1;
      return false;
    }
    if (!this.#first) {
      if (bytes[i] !== COMMA) return false;
      i = skipSpace(bytes, i + 1, limit);
    }
    this.#first = false;
    return this.#key(i);
  }

  /** Past the value; INCOMPLETE when it is broken, and then `next` returns false. */
  skip(): number {
    return this.leave(skipValue(this.bytes, this.valueStart, this.#limit));
  }

  /** Goes on behind a value that ended at `end`; INCOMPLETE ends the walk. */
  leave(end: number): number {
    this.#at = end === INCOMPLETE ? this.#limit : end;
    return end;
  }

  /** Whether the key is this name, however it is spelled. */
  keyIs(name: Buffer): boolean {
    const { bytes, keyStart, keyLength } = this;
    const { length } = name;
    if (keyLength !== length) {
      return keyLength < 0 && escapedEqual(bytes, keyStart, this.keyEnd, name);
    }
    for (let i = 0; i < length; i++) if (bytes[keyStart + i] !== name[i]) return false;
    return true;
  }

  #key(quote: number): boolean {
    const { bytes } = this;
    const limit = this.#limit;
    if (quote >= limit || bytes[quote] !== QUOTE) return false;
    const past = skipStringBody(bytes, quote + 1, limit);
    if (past < 0) return false;
    this.keyStart = quote + 1;
    this.keyEnd = past - 1;
    this.keyLength = lengthOf(bytes, this.keyStart, this.keyEnd);
    const colon = skipSpace(bytes, past, limit);
    if (colon >= limit || bytes[colon] !== COLON) return false;
    this.valueStart = skipSpace(bytes, colon + 1, limit);
    return this.valueStart < limit;
  }
}

function lengthOf(bytes: Buffer, start: number, end: number): number {
  for (let i = start; i < end; i++) if (bytes[i] === BACKSLASH) return -1;
  return end - start;
}
