/** Bodies in gzip, joined from pieces that were deflated before (RFC 1951, RFC 1952). */

import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync, inflateRaw } from "node:zlib";
import { combined, shiftedBy, shiftOf } from "./crc.ts";

/** Bytes in a form that can stand anywhere in a gzip body. */
export interface Deflated {
  /** Whole blocks, none of them the last one, up to a full byte. */
  readonly blocks: readonly Buffer[];
  /** Of the bytes themselves. */
  readonly length: number;
  readonly crc: number;
  /** What the length means for the checksum of all. */
  readonly shift: number;
}

/** The fastest level: ages change what is deflated every few minutes, and objects still shrink to a fifth. */
const options = { level: 1, finishFlush: constants.Z_SYNC_FLUSH };

const deflateLater = promisify(deflateRaw);
const inflateLater = promisify(inflateRaw);

/** Deflates a piece that will be sent again; 60 microseconds for one of 8 KB. */
export function deflated(bytes: Buffer): Deflated {
  const blocks = deflateRawSync(bytes, { ...options, chunkSize: chunkFor(bytes) });
  const own = Buffer.allocUnsafeSlow(blocks.length); // kept: zlib's is larger
  blocks.copy(own);
  return deflatedAs(own, bytes);
}

/** What zlib sets aside for what comes out, in bytes: most of it is short, and would leave 16 KiB behind each time. */
function chunkFor({ length }: Buffer): number {
  return Math.max(1024, Math.ceil(length / 3));
}

/** Keeps few bytes as they are, which is next to no work; many are deflated. */
export function stored(bytes: Buffer): Deflated {
  return bytes.length > shortest ? deflated(bytes) : deflatedAs(storedBlock(bytes), bytes);
}

function deflatedAs(blocks: Buffer, bytes: Buffer): Deflated {
  const { length } = bytes;
  return { blocks: [blocks], length, crc: checksum(bytes), shift: shiftOf(length) };
}

/** Bytes of the blocks. */
export function sizeOfBlocks({ blocks }: Deflated): number {
  return blocks.reduce((sum, { length }) => sum + length, 0);
}

/** One after the other; shares their memory. */
export function joined(first: Deflated, ...others: readonly Deflated[]): Deflated {
  let { length, crc, shift } = first;
  for (const each of others) {
    length += each.length;
    crc = combined(crc, each.crc, each.shift);
    shift = shiftedBy(shift, each.shift);
  }
  const blocks = others.flatMap((each) => each.blocks);
  return { blocks: [...first.blocks, ...blocks], length, crc, shift };
}

/** The same in one Buffer of its own. */
export function inOne(all: Deflated): Deflated {
  const blocks = Buffer.allocUnsafeSlow(sizeOfBlocks(all));
  let end = 0;
  for (const each of all.blocks) end += each.copy(blocks, end);
  return { ...all, blocks: [blocks] };
}

/** The same deflated in one, on another thread: pieces that were deflated each for itself know nothing of what their neighbours have as well. */
export async function deflatedInOne(all: Deflated): Promise<Deflated> {
  const [pieces = nothing] = inOne(all).blocks;
  const { finishFlush } = options;
  const bytes = await inflateLater(pieces, { finishFlush, chunkSize: all.length + 64 }); // room left over: else it looks for more
  const blocks = await deflateLater(bytes, { ...options, chunkSize: chunkFor(bytes) });
  return { ...all, blocks: [blocks] };
}

/** What is behind `first`, which is in one Buffer, in what begins with it; shares its memory. */
export function behind(first: Deflated, all: Deflated): Deflated {
  const [beginning = nothing, ...rest] = all.blocks;
  const length = all.length - first.length;
  const shift = shiftOf(length);
  const crc = combined(first.crc, all.crc, shift);
  return { blocks: [beginning.subarray(sizeOfBlocks(first)), ...rest], length, crc, shift };
}

/**
 * A gzip body in the making. What is added as bytes is deflated together with its neighbours when it is taken, on another thread when it is much; what is deflated already is
 * only copied.
 */
export class GzipBody {
  #parts: Buffer[] = [header];
  /** Which of the parts are not deflated yet: another thread does it when they are taken. */
  #long: number[] = [];
  #plain: Uint8Array[] = [];
  #waiting = 0;
  #size = 0;
  #crc = 0;
  #isBegun = false;

  /** Bytes that wait to be taken: of deflated parts, and of others as they came. */
  get waiting(): number {
    return this.#waiting;
  }

  /** What is long is not copied: it has to stay as it is until it is taken. */
  add(part: Uint8Array): void {
    this.#waiting += part.length;
    if (part.length <= longest) {
      this.#plain.push(part);
      return;
    }
    if (this.#plain.length > 0) this.#join();
    this.#addBytes(Buffer.from(part.buffer, part.byteOffset, part.length));
  }

  addDeflated({ blocks, length, crc, shift }: Deflated): void {
    if (this.#plain.length > 0) this.#join();
    for (const each of blocks) {
      this.#parts.push(each);
      this.#waiting += each.length;
    }
    this.#size += length;
    this.#crc = combined(this.#crc, crc, shift);
  }

  /** All that was added, where none of it was deflated and none taken: for who finds it too short to pack. */
  get plain(): readonly Uint8Array[] | undefined {
    return this.#isBegun || this.#parts.length > 1 ? undefined : this.#plain;
  }

  /** What can be sent of what was added since the last time. */
  async take(): Promise<readonly Buffer[]> {
    if (this.#plain.length > 0) this.#join();
    const [parts, long] = [this.#parts, this.#long];
    this.#parts = [];
    this.#long = [];
    this.#waiting = 0;
    this.#isBegun = true;
    for (const index of long) parts[index] = await deflateLater(parts[index] ?? "", options);
    return parts;
  }

  /** The rest; nothing may be added any more. */
  async end(): Promise<readonly Buffer[]> {
    const rest = await this.take();
    return [...rest, end, trailer(this.#crc, this.#size)];
  }

  /** All that was added, where none of it was taken, as a part of other bodies; nothing may be added any more. */
  async asPart(): Promise<Deflated> {
    const [, ...blocks] = await this.take();
    return { blocks, length: this.#size, crc: this.#crc, shift: shiftOf(this.#size) };
  }

  #join(): void {
    const bytes = Buffer.concat(this.#plain);
    this.#plain = [];
    this.#addBytes(bytes);
  }

  #addBytes(bytes: Buffer): void {
    const isLong = bytes.length > longest;
    if (isLong) this.#long.push(this.#parts.length);
    this.#parts.push(isLong ? bytes : blocksOf(bytes));
    this.#size += bytes.length;
    this.#crc = checksum(bytes, this.#crc);
  }
}

/** With the bytes before; signed, as all checksums here. */
function checksum(bytes: Buffer, before = 0): number {
  return crc32(bytes, before >>> 0) | 0;
}

/** Deflate, no name, no time, whatever system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
const nothing = Buffer.alloc(0);
/** An empty last block. */
const end = Buffer.from([3, 0]);

function trailer(crc: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeInt32LE(crc, 0);
  bytes.writeUInt32LE(size % 2 ** 32, 4);
  return bytes;
}

/** What is shorter is not worth a context of zlib, which takes longer than all else. */
const shortest = 1024;
/** What is longer would hold the event loop up. */
const longest = 32 * 1024;

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
