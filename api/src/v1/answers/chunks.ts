/** Room for the bytes of answers, used again and again. */

/** What a chunk may have, in bytes: most answers fit into one. */
const sizes = [16, 64, 256, 512, 1024].map((kib) => kib * 1024);
const largest = sizes.length - 1;
/** Of all that wait for the next answer. */
const most = 16 * 1024 * 1024;

const free: Buffer[][] = sizes.map(() => []);
let waiting = 0;

/** What goes to a caller, and what has to be called once it has gone, so that its room is used again. */
export interface Chunk {
  readonly bytes: Buffer;
  release(): void;
}

/**
 * Collects bytes and texts. They are copied at once, into room that other answers have had before: V8 counts new buffers as garbage to be, and for pages of 1 MB each
 * would mark its whole heap every 50 of them. Each chunk is larger than the one before, up to 1 MiB.
 */
export class Chunks {
  #full: Chunk[] = [];
  #last: Buffer | undefined;
  #end = 0;
  #size = 0;
  /** Index of the size that the next chunk has. */
  #next = 0;

  /** Bytes that were added since the last `take`. */
  get size(): number {
    return this.#size;
  }

  /** So many bytes are to come at least: they need not be spread over many chunks. */
  expect(bytes: number): void {
    while (this.#next < largest && sizeAt(this.#next) < bytes) this.#next++;
  }

  add(part: Uint8Array | string): void {
    if (typeof part === "string") this.#addText(part);
    else this.#addBytes(part);
  }

  /** All that was added since the last time, in order. */
  take(): readonly Chunk[] {
    this.#close();
    const chunks = this.#full;
    this.#full = [];
    this.#size = 0;
    return chunks;
  }

  #addText(text: string): void {
    const longest = text.length * 3; // in UTF-8
    if (longest > this.#room) {
      this.#addBytes(Buffer.from(text));
      return;
    }
    const written = this.#open().write(text, this.#end);
    this.#end += written;
    this.#size += written;
  }

  #addBytes(bytes: Uint8Array): void {
    this.#size += bytes.length;
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
    return (this.#last?.length ?? sizeAt(this.#next)) - this.#end;
  }

  #open(): Buffer {
    this.#last ??= roomOf(this.#next);
    return this.#last;
  }

  #close(): void {
    const chunk = this.#last;
    if (chunk === undefined || this.#end === 0) return;
    this.#full.push({ bytes: chunk.subarray(0, this.#end), release: () => giveBack(chunk) });
    this.#last = undefined;
    this.#end = 0;
    this.#next = Math.min(this.#next + 1, largest);
  }
}

function sizeAt(index: number): number {
  return sizes[index] ?? 0;
}

function roomOf(index: number): Buffer {
  const room = free[index]?.pop();
  if (room === undefined) return Buffer.allocUnsafeSlow(sizeAt(index));
  waiting -= room.length;
  return room;
}

function giveBack(room: Buffer): void {
  if (waiting + room.length > most) return;
  waiting += room.length;
  free[sizes.indexOf(room.length)]?.push(room);
}
