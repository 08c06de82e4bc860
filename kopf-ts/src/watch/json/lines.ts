import { Carry } from "./carry.ts";

const NEWLINE = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);

/** The longest line taken: far above etcd's 1.5 MB, for API servers that store elsewhere. */
export const LONGEST_LINE: number = 128 * 1024 * 1024;

/**
 * Cuts a stream of chunks into lines. `push` a chunk, then call `next` until it returns false; the line is at [start, end) of `bytes`,
 * valid until the next call. Only a line that spans chunks is copied. Throws RangeError for a line above the limit.
 */
export class LineFramer {
  bytes: Buffer = NOTHING;
  start = 0;
  end = 0;
  readonly #carry: Carry;
  #chunk: Buffer = NOTHING;
  #at = 0;

  constructor(limit: number = LONGEST_LINE) {
    this.#carry = new Carry(limit);
  }

  /** Bytes of a line whose end has not come. */
  get pending(): number {
    return this.#carry.length + this.#chunk.length - this.#at;
  }

  push(chunk: Buffer): void {
    if (this.#at < this.#chunk.length) throw new Error("lines of the former chunk were not taken");
    this.#chunk = chunk;
    this.#at = 0;
  }

  next(): boolean {
    const newline = this.#chunk.indexOf(NEWLINE, this.#at);
    if (newline < 0) return this.#rest();
    if (this.#carry.length > 0) this.#joined(newline);
    else {
      this.bytes = this.#chunk;
      this.start = this.#at;
      this.end = newline;
    }
    this.#at = newline + 1;
    return true;
  }

  #joined(newline: number): void {
    this.#carry.append(this.#chunk, this.#at, newline);
    this.bytes = this.#carry.take();
    this.start = 0;
    this.end = this.bytes.length;
  }

  #rest(): false {
    this.#carry.append(this.#chunk, this.#at, this.#chunk.length);
    this.#chunk = NOTHING;
    this.bytes = NOTHING;
    this.#at = this.start = this.end = 0;
    return false;
  }
}
