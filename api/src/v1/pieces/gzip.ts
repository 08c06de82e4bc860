/** Bodies in gzip, joined from pieces that were deflated before (RFC 1951, RFC 1952). */

import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { combined, shiftedBy, shiftOf } from "./crc.ts";

/** Bytes in a form that can stand anywhere in a gzip body. */
export interface Deflated {
  /** Whole blocks, none of them the last one, up to a full byte. */
  readonly blocks: Buffer;
  /** Of the bytes themselves. */
  readonly length: number;
  readonly crc: number;
  /** What the length means for the checksum of all. */
  readonly shift: number;
  /** Tells it from what is not deflated yet. */
  readonly plain?: undefined;
}

/** Bytes that are deflated when they are taken. */
interface Plain {
  readonly plain: Buffer;
  readonly length: number;
  /** Once they are deflated. */
  blocks: Buffer | undefined;
}

/** The fastest level: ages change what is deflated every few minutes, and objects still shrink to a fifth. */
const options = { level: 1, finishFlush: constants.Z_SYNC_FLUSH };

const deflateLater = promisify(deflateRaw);

/** Deflates a piece that will be sent again; 60 microseconds for one of 8 KB. */
export function deflated(bytes: Buffer): Deflated {
  const blocks = deflateRawSync(bytes, options);
  const own = Buffer.allocUnsafeSlow(blocks.length); // kept: zlib's is larger
  blocks.copy(own);
  return deflatedAs(own, bytes);
}

/** Keeps few bytes as they are, which is next to no work; many are deflated. */
export function stored(bytes: Buffer): Deflated {
  return bytes.length > shortest ? deflated(bytes) : deflatedAs(storedBlock(bytes), bytes);
}

function deflatedAs(blocks: Buffer, bytes: Buffer): Deflated {
  const { length } = bytes;
  return { blocks, length, crc: crc32(bytes), shift: shiftOf(length) };
}

/** One after the other, in memory of their own. */
export function joined(first: Deflated, ...others: readonly Deflated[]): Deflated {
  const all = [first, ...others];
  const blocks = Buffer.allocUnsafeSlow(all.reduce((sum, each) => sum + each.blocks.length, 0));
  let end = 0;
  for (const each of all) end += each.blocks.copy(blocks, end);
  const sums = others.reduce<Sums>(behind, first);
  return { blocks, length: sums.length, crc: sums.crc, shift: sums.shift };
}

type Sums = Omit<Deflated, "blocks">;

function behind(first: Sums, second: Sums): Sums {
  return {
    length: first.length + second.length,
    crc: combined(first.crc, second.crc, second.shift),
    shift: shiftedBy(first.shift, second.shift),
  };
}

/**
 * A gzip body in the making. What is added as bytes is deflated together with its neighbours when it is taken, on another thread when it is much; what is deflated already is
 * only copied.
 */
export class GzipBody {
  #parts: (Deflated | Plain)[] = [];
  #plain: Uint8Array[] = [];
  /** Of what waits. */
  #waiting = 0;
  #size = 0;
  #crc = 0;
  #isBegun = false;
  /** Whether any of the parts would hold the event loop up. */
  #hasLong = false;

  /** Bytes that wait to be taken, before they are packed. */
  get waiting(): number {
    return this.#waiting;
  }

  add(part: Uint8Array): void {
    this.#plain.push(part);
    this.#waiting += part.length;
  }

  addDeflated(part: Deflated): void {
    this.#join();
    this.#parts.push(part);
    this.#waiting += part.length;
  }

  /** All that was added, where none of it was deflated and none taken: for who finds it too short to pack. */
  get plain(): readonly Uint8Array[] | undefined {
    return this.#isBegun || this.#parts.length > 0 ? undefined : this.#plain;
  }

  /** What can be sent of what was added since the last time. */
  async take(): Promise<readonly Buffer[]> {
    this.#join();
    const [parts, hasLong] = [this.#parts, this.#hasLong];
    const chunks: Buffer[] = this.#isBegun ? [] : [header];
    this.#parts = [];
    this.#waiting = 0;
    this.#hasLong = false;
    this.#isBegun = true;
    if (hasLong) await deflateLong(parts);
    for (const part of parts) chunks.push(this.#blocksOf(part));
    return chunks;
  }

  /** The rest; nothing may be added any more. */
  async end(): Promise<readonly Buffer[]> {
    const rest = await this.take();
    return [...rest, end, trailer(this.#crc, this.#size)];
  }

  #blocksOf(part: Deflated | Plain): Buffer {
    this.#count(part);
    return part.plain === undefined ? part.blocks : (part.blocks ?? blocksOf(part.plain));
  }

  #count(part: Deflated | Plain): void {
    this.#size += part.length;
    this.#crc =
      part.plain === undefined
        ? combined(this.#crc, part.crc, part.shift)
        : crc32(part.plain, this.#crc);
  }

  #join(): void {
    if (this.#plain.length === 0) return;
    const plain = Buffer.concat(this.#plain);
    this.#hasLong ||= plain.length > longest;
    this.#parts.push({ plain, length: plain.length, blocks: undefined });
    this.#plain = [];
  }
}

/** Deflate, no name, no time, whatever system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** An empty last block. */
const end = Buffer.from([3, 0]);

function trailer(crc: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUInt32LE(crc, 0);
  bytes.writeUInt32LE(size % 2 ** 32, 4);
  return bytes;
}

/** What is shorter is not worth a context of zlib, which takes longer than all else. */
const shortest = 1024;
/** What is longer would hold the event loop up. */
const longest = 32 * 1024;

/** On another thread, one after the other. */
async function deflateLong(parts: readonly (Deflated | Plain)[]): Promise<void> {
  for (const part of parts) {
    if (part.plain !== undefined && part.length > longest)
      part.blocks = await deflateLater(part.plain, options);
  }
}

function blocksOf(bytes: Buffer): Buffer {
  return bytes.length > shortest ? deflateRawSync(bytes, options) : storedBlock(bytes);
}

/** A block that is not compressed. */
function storedBlock(bytes: Buffer): Buffer {
  const block = Buffer.allocUnsafeSlow(bytes.length + 5); // kept: one of a pool would keep others alive
  block[0] = 0;
  block.writeUInt16LE(bytes.length, 1);
  block.writeUInt16LE(~bytes.length & 0xffff, 3);
  block.set(bytes, 5);
  return block;
}
