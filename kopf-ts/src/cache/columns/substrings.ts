/** Below this many rows a search joins nothing: looking at each text is as fast. */
const WORTH_JOINING = 256;
/** Rows joined by one search, about 10 ms; looking at the rest one by one takes as long again. */
const JOINED_AT_ONCE = 25_000;

/**
 * Finds rows by a part of their text, ignoring case: all texts joined in one buffer, searched as one. Made by the first searches and kept up to
 * date by the next ones; changed texts are appended and the old ones skipped, until a quarter is old and all is joined anew.
 */
export class Substrings {
  readonly #read: (row: number) => string | undefined;
  #joined = Buffer.alloc(0);
  /** Where each segment begins in `joined`; one more entry for the end. */
  #starts = new Uint32Array(0);
  #rowOf = new Uint32Array(0);
  /** The current segment of a row plus one, 0 for none. */
  #segmentOf = new Uint32Array(0);
  #segments = 0;
  #old = 0;
  /** Rows below are in `joined`. */
  #end = 0;
  readonly #changed = new Set<number>();

  constructor(read: (row: number) => string | undefined) {
    this.#read = read;
  }

  get bytes(): number {
    return this.#joined.length + this.#starts.byteLength * 2 + this.#segmentOf.byteLength;
  }

  /** The text of a row changed, came or went. */
  touch(row: number): void {
    if (row < this.#end) this.#changed.add(row);
  }

  /** Writes 1 to `out` for each row below `end` whose text contains `part`, else 0. */
  select(part: string, out: Uint8Array, end: number): void {
    const lower = part.toLowerCase();
    if (end < WORTH_JOINING || lower === "") {
      this.#each(lower, out, 0, end);
    } else {
      this.#refresh(end);
      out.fill(0, 0, end);
      this.#search(Buffer.from(lower), out);
      this.#each(lower, out, this.#end, end);
    }
  }

  #clear(): void {
    this.#joined = Buffer.alloc(0);
    this.#starts = new Uint32Array(0);
    this.#rowOf = new Uint32Array(0);
    this.#segmentOf = new Uint32Array(0);
    this.#segments = 0;
    this.#old = 0;
    this.#end = 0;
    this.#changed.clear();
  }

  #each(lower: string, out: Uint8Array, start: number, end: number): void {
    for (let row = start; row < end; row++) {
      out[row] = this.#read(row)?.toLowerCase().includes(lower) === true ? 1 : 0;
    }
  }

  #search(part: Buffer, out: Uint8Array): void {
    const text = this.#joined.subarray(0, this.#starts[this.#segments]);
    let segment = 0;
    for (let at = text.indexOf(part); at >= 0; ) {
      segment = this.#segmentAt(at, segment);
      const next = this.#starts[segment + 1] ?? text.length;
      const row = this.#rowOf[segment] ?? 0;
      const whole = at + part.length <= next;
      if (whole && this.#segmentOf[row] === segment + 1) out[row] = 1;
      // A hit across two texts is none, but another may begin inside it.
      at = text.indexOf(part, whole ? next : at + 1);
    }
  }

  /** The segment that holds position `at`, not before `from`. */
  #segmentAt(at: number, from: number): number {
    let low = from;
    let high = this.#segments - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #refresh(end: number): void {
    const old = this.#old + this.#changed.size;
    if (old * 4 > this.#segments + this.#changed.size) this.#clear();
    const joined = Math.min(end, this.#end + JOINED_AT_ONCE);
    this.#reserve(this.#segments + this.#changed.size + joined - this.#end, joined);
    for (const row of this.#changed) this.#append(row);
    this.#changed.clear();
    for (let row = this.#end; row < joined; row++) this.#append(row);
    this.#end = Math.max(joined, this.#end);
  }

  #append(row: number): void {
    if (this.#segmentOf[row] !== 0) this.#old++;
    this.#segmentOf[row] = 0;
    const text = this.#read(row)?.toLowerCase();
    if (text === undefined) return;
    const at = this.#starts[this.#segments] ?? 0;
    const length = this.#write(text, at);
    this.#rowOf[this.#segments] = row;
    this.#segments++;
    this.#starts[this.#segments] = at + length;
    this.#segmentOf[row] = this.#segments;
  }

  #write(text: string, at: number): number {
    if (at + text.length * 3 > this.#joined.length) {
      const larger = Buffer.allocUnsafeSlow((at + text.length * 3) * 2);
      this.#joined.copy(larger, 0, 0, at);
      this.#joined = larger;
    }
    return this.#joined.write(text, at);
  }

  #reserve(segments: number, rows: number): void {
    const room = (array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> =>
      array.length >= length
        ? array
        : new Uint32Array(array.buffer.transfer(Math.ceil(length * 1.25) * 4));
    this.#starts = room(this.#starts, segments + 1);
    this.#rowOf = room(this.#rowOf, segments);
    this.#segmentOf = room(this.#segmentOf, rows);
  }
}
