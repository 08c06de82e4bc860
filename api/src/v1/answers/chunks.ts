/** Room for the bytes of answers, used again and again. */

import { roomForAnswer } from "../../answer-room.ts";

/** What a chunk may have, in bytes: a page of a list fits into one, with little room left over, also in gzip. */
const sizes = [
  ...[1, 4, 16, 32, 64, 128, 256, 320, 384, 512, 768, 1024],
  ...[1152, 1280, 1408, 1536, 1664, 1792, 1920, 2048],
].map((kib) => kib * 1024);
const [least = 0] = sizes;
const largest = sizes.at(-1) ?? 0;
/** Where it is not known what is to come, from one chunk to the next. */
const growing = [16, 64, 256, 1024].map((kib) => kib * 1024);
const [first = 0] = growing;
const mostUnknown = growing.at(-1) ?? 0;
/** Of all that wait for the next answer. */
const most = 16 * 1024 * 1024;

/** Rooms of one size that wait. */
interface SizeClass {
  readonly rooms: Buffer[];
  /** Which of all questions for rooms the last one for such was. */
  askedAt: number;
}

const classes: ReadonlyMap<number, SizeClass> = new Map(
  sizes.map((size) => [size, { rooms: [], askedAt: 0 }]),
);
let waiting = 0;
let asked = 0;

/** What goes to a caller. Its room is used again once everybody has released it who holds it: at first one. */
export class Chunk {
  readonly bytes: Buffer;
  readonly #room: Buffer;
  #holders = 1;

  /** The first bytes of a room. */
  constructor(room: Buffer, length: number) {
    this.#room = room;
    this.bytes = room.subarray(0, length);
  }

  /** Of memory, in bytes, without the 2 KB around it. */
  get size(): number {
    return this.#room.length;
  }

  /** Whether one alone holds it, who may change it. */
  get isHeldOnce(): boolean {
    return this.#holders === 1;
  }

  /** One more holds it. */
  hold(): void {
    this.#holders++;
  }

  release(): void {
    this.#holders--;
    if (this.#holders === 0) giveBack(this.#room);
  }
}

/**
 * Collects bytes and texts. They are copied at once, into room that other answers have had before: V8 counts new buffers as garbage to be, and for pages of 1 MB each
 * would mark its whole heap every 50 of them. A chunk is as large as what is expected, up to 2 MiB; where nothing more is,
 * small at first, and each larger than the one before, up to 1 MiB.
 */
export class Chunks {
  #full: Chunk[] = [];
  #last: Buffer | undefined;
  #end = 0;
  /** Bytes in chunks that are full. */
  #closed = 0;
  /** Bytes that are to come at least, with all that was added. */
  #expected = 0;
  /** What the next chunk has where nothing more is expected, in bytes. */
  #next = first;

  /** Bytes that were added since the last `take`. */
  get size(): number {
    return this.#closed + this.#end;
  }

  /** So many bytes are to come at least: they need not be spread over many chunks. */
  expect(bytes: number): void {
    this.#expected = this.size + bytes;
  }

  add(part: Uint8Array | string): void {
    if (typeof part === "string") this.#addText(part);
    else this.#addBytes(part);
  }

  /** Adds all; where nothing waits to be taken, in one chunk if they fit into one. */
  addAll(parts: readonly Uint8Array[]): void {
    this.expect(parts.reduce((sum, { length }) => sum + length, 0));
    for (const part of parts) this.add(part);
  }

  /** Adds what is in a chunk, without copying it: of both, all hold it. Little is expected behind it. */
  insert(chunk: Chunk): void {
    this.#close();
    chunk.hold();
    this.#full.push(chunk);
    this.#closed += chunk.bytes.length;
    this.#next = least;
  }

  /** All that was added since the last time, in order. */
  take(): readonly Chunk[] {
    this.#close();
    const chunks = this.#full;
    this.#full = [];
    this.#closed = 0;
    this.#expected = 0;
    return chunks;
  }

  #addText(text: string): void {
    const longest = text.length * 3; // in UTF-8
    if (longest > this.#room) {
      this.#addBytes(Buffer.from(text));
      return;
    }
    this.#end += this.#open().write(text, this.#end);
  }

  #addBytes(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > this.#room) {
      const part = rest.subarray(0, this.#room);
      this.#open().set(part, this.#end);
      this.#end += part.length;
      rest = rest.subarray(part.length);
      this.#close();
    }
    this.#open().set(rest, this.#end);
    this.#end += rest.length;
  }

  get #room(): number {
    return (this.#last?.length ?? this.#fitting) - this.#end;
  }

  #open(): Buffer {
    this.#last ??= roomOf(this.#fitting);
    return this.#last;
  }

  #close(): void {
    const room = this.#last;
    if (room === undefined || this.#end === 0) return;
    if (room.length === this.#next) this.#grow(); // else it was expected: little is behind it
    this.#full.push(new Chunk(room, this.#end));
    this.#closed += this.#end;
    this.#last = undefined;
    this.#end = 0;
  }

  #grow(): void {
    this.#next = growing.find((size) => size > this.#next) ?? mostUnknown;
  }

  /** What the next chunk has, in bytes. */
  get #fitting(): number {
    const left = this.#expected - this.size;
    if (left <= 0) return this.#next;
    return sizes.find((size) => size >= left) ?? largest;
  }
}

function roomOf(size: number): Buffer {
  const sizeClass = classes.get(size);
  if (sizeClass !== undefined) sizeClass.askedAt = ++asked;
  const room = sizeClass?.rooms.pop();
  if (room === undefined) return roomForAnswer(size);
  waiting -= room.length;
  return room;
}

/** Where there are too many, those of a size that nobody asked for lately go. */
function giveBack(room: Buffer): void {
  classes.get(room.length)?.rooms.push(room);
  waiting += room.length;
  while (waiting > most) {
    const filled = [...classes.values()].filter(({ rooms }) => rooms.length > 0);
    const stalest = filled.reduce((a, b) => (a.askedAt <= b.askedAt ? a : b));
    waiting -= stalest.rooms.pop()?.length ?? 0;
  }
}
