import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Background, Job } from "./background.ts";
import type { Rows } from "./rows.ts";
import { type Cut, Slabs } from "./slabs.ts";

/** Samples make up the dictionary; deflate looks back 32 KiB. */
const DICTIONARY = 32_000;
/** What has no more bytes stays as it is: packing would save a hundred of them, and unpacking takes a hundred times as long as reading. */
const SHORT = 256;
/** Bytes of the first buffer that is unpacked into; most need no second one. */
const ROOM = 4096;

/** How a row's are kept. */
const Form = { Fresh: 0, Packed: 1, Short: 2 } as const;

/**
 * Keeps what was cut out of objects (managedFields: a third of them, hardly ever read) apart and packed: deflated with a dictionary of the
 * first ones, 3 KB become about 150 bytes; short ones stay as they are. Packing costs more than ingestion, so it happens later, in the background; until then, and while
 * they change all the time, they are kept as they are.
 */
export class ColdFields {
  readonly #background: Background;
  readonly #fresh = new Slabs();
  /** What stays as it is: what is packed, and what is short. */
  readonly #packed = new Slabs();
  readonly #waiting = new Set<number>();
  /** Those of them whose turn has come. */
  readonly #due = new Set<number>();
  #dictionary: Buffer | undefined;
  #job: Job | undefined;
  /** Handle plus one; 0 for a row that has none. */
  #handleOf = new Uint32Array(0);
  #formOf = new Uint8Array(0);
  /** Where in the object's bytes they were cut out. */
  #positionOf = new Uint32Array(0);

  constructor(rows: Rows, background: Background) {
    this.#background = background;
    rows.onResize((capacity) => {
      this.#handleOf = new Uint32Array(this.#handleOf.buffer.transfer(capacity * 4));
      this.#formOf = new Uint8Array(this.#formOf.buffer.transfer(capacity));
      this.#positionOf = new Uint32Array(this.#positionOf.buffer.transfer(capacity * 4));
    });
  }

  /** Bytes outside the heap. */
  get bytes(): number {
    return this.#fresh.usage.allocated + this.#packed.usage.allocated;
  }

  /** Keeps `cut` of the object that begins at `start`. */
  set(row: number, bytes: Buffer, start: number, cut: Cut): void {
    this.delete(row);
    const isShort = cut.end - cut.start <= SHORT;
    this.#formOf[row] = isShort ? Form.Short : Form.Fresh;
    this.#handleOf[row] = this.#storeOf(row).put(bytes, cut.start, cut.end) + 1;
    this.#positionOf[row] = cut.start - start;
    if (!isShort) this.#waiting.add(row);
  }

  delete(row: number): void {
    const handle = (this.#handleOf[row] ?? 0) - 1;
    if (handle < 0) return;
    this.#storeOf(row).release(handle);
    this.#handleOf[row] = 0;
    this.#waiting.delete(row);
    this.#due.delete(row);
  }

  /** What was cut out of an object, as a member without a comma; undefined where nothing was. It may keep others' bytes alive. */
  member(row: number): Buffer | undefined {
    const cut = this.#read(row);
    return cut && withoutSeparators(cut);
  }

  /** With a comma at one end. */
  #read(row: number): Buffer | undefined {
    const handle = (this.#handleOf[row] ?? 0) - 1;
    if (handle < 0) return undefined;
    const kept = this.#storeOf(row).read(handle);
    return this.#formOf[row] === Form.Packed ? this.#unpack(kept) : kept;
  }

  /** The object's bytes as they came, from those that were left of it. */
  restore(row: number, rest: Buffer): Buffer {
    const cut = this.#read(row);
    if (cut === undefined) return rest;
    const at = this.#positionOf[row] ?? 0;
    return Buffer.concat([rest.subarray(0, at), cut, rest.subarray(at)]);
  }

  /** Starts to pack all that waits for it. */
  pack(): void {
    this.#call();
    this.#start();
  }

  /** Starts to pack what has not changed since the last time it was asked to. */
  packRested(): void {
    this.#start();
    this.#call();
  }

  #call(): void {
    for (const row of this.#waiting) this.#due.add(row);
    this.#waiting.clear();
  }

  #start(): void {
    if ((this.#due.size === 0 && !this.#packed.sparse) || this.#job !== undefined) return;
    this.#job = this.#background.run(this.#packing(new Set(this.#due)));
  }

  clear(): void {
    this.#job?.cancel();
    this.#job = undefined;
    this.#waiting.clear();
    this.#due.clear();
    this.#fresh.clear();
    this.#packed.clear();
    this.#handleOf.fill(0);
    this.#dictionary = undefined;
  }

  #storeOf(row: number): Slabs {
    return this.#formOf[row] === Form.Fresh ? this.#fresh : this.#packed;
  }

  *#packing(rows: ReadonlySet<number>): Generator<void, void, void> {
    try {
      yield* this.#evacuating();
      if (rows.size > 0) this.#dictionary ??= this.#sample();
      for (const row of rows) {
        if (this.#due.has(row)) this.#packOne(row);
        yield* this.#evacuating();
        yield;
      }
    } finally {
      this.#job = undefined; // whatever happened: the next list packs the rest
    }
  }

  *#evacuating(): Generator<void, void, void> {
    while (this.#packed.sparse) {
      yield;
      this.#packed.evacuate();
    }
  }

  #packOne(row: number): void {
    this.#due.delete(row); // first: what cannot be packed stays as it is, and holds up no other
    const handle = (this.#handleOf[row] ?? 0) - 1;
    const packed = deflateRawSync(this.#fresh.read(handle), this.#options(1));
    this.#fresh.release(handle);
    this.#handleOf[row] = this.#packed.put(packed, 0, packed.length) + 1;
    this.#formOf[row] = Form.Packed;
  }

  #unpack(packed: Buffer): Buffer {
    return inflateRawSync(packed, { ...this.#options(1), chunkSize: ROOM });
  }

  #options(level: number): { level: number; dictionary?: Buffer } {
    return this.#dictionary === undefined ? { level } : { level, dictionary: this.#dictionary };
  }

  #sample(): Buffer {
    const samples: Buffer[] = [];
    let size = 0;
    for (const row of this.#due) {
      const sample = this.#fresh.read((this.#handleOf[row] ?? 0) - 1);
      samples.push(sample);
      size += sample.length;
      if (size >= DICTIONARY) break;
    }
    return Buffer.concat(samples).subarray(0, DICTIONARY);
  }
}

/** A member without the comma and the space around it. */
function withoutSeparators(cut: Buffer): Buffer {
  let [start, end] = [0, cut.length];
  while (isSeparator(cut[start])) start++;
  while (isSeparator(cut[end - 1])) end--;
  return cut.subarray(start, end);
}

function isSeparator(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
