/** Room for the bytes of answers, used again and again. */

/** Bytes of one chunk. */
const size = 128 * 1024;
/** Chunks that wait for the next answer: 16 MiB. */
const most = 128;

const free: Buffer[] = [];

/** What goes to a caller, and what has to be called once it has gone, so that its room is used again. */
export interface Chunk {
  readonly bytes: Buffer;
  release(): void;
}

/**
 * Collects bytes and texts. They are copied at once, into room that other answers have had before: V8 counts new buffers as garbage to be, and for pages of 1 MB each
 * would mark its whole heap every 50 of them.
 */
export class Chunks {
  #full: Chunk[] = [];
  #last: Buffer | undefined;
  #end = 0;
  #size = 0;

  /** Bytes that were added since the last `take`. */
  get size(): number {
    return this.#size;
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
    if (longest > size) {
      this.#addBytes(Buffer.from(text));
      return;
    }
    if (longest > this.#room) this.#close();
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
    return size - this.#end;
  }

  #open(): Buffer {
    this.#last ??= free.pop() ?? Buffer.allocUnsafeSlow(size);
    return this.#last;
  }

  #close(): void {
    const chunk = this.#last;
    if (chunk === undefined || this.#end === 0) return;
    this.#full.push({ bytes: chunk.subarray(0, this.#end), release: () => giveBack(chunk) });
    this.#last = undefined;
    this.#end = 0;
  }
}

function giveBack(chunk: Buffer): void {
  if (free.length < most) free.push(chunk);
}
