/** Room that a carry keeps between uses; one huge object must not hold its memory for ever. */
const KEPT = 256 * 1024;

/** Collects what spans chunks in one growing buffer of its own, so that no chunk is held. Appending is linear in the bytes appended. */
export class Carry {
  /** Bytes collected so far. */
  length = 0;
  readonly #limit: number;
  #buffer: Buffer = Buffer.alloc(0);

  /** Growing beyond `limit` bytes throws a RangeError. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  append(bytes: Buffer, start: number, end: number): void {
    const length = this.length + end - start;
    if (length > this.#limit) throw new RangeError(`more than ${this.#limit} bytes in one object`);
    if (length > this.#buffer.length) this.#grow(length);
    bytes.copy(this.#buffer, this.length, start, end);
    this.length = length;
  }

  /** The bytes collected, valid until the next append; collecting starts over. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.length);
    this.length = 0;
    if (this.#buffer.length > KEPT) this.#buffer = Buffer.alloc(0);
    return taken;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#buffer.length * 2, 64 * 1024));
    this.#buffer.copy(larger, 0, 0, this.length);
    this.#buffer = larger;
  }
}
