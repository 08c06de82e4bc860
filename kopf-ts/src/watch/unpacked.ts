import { createGunzip, type Gunzip } from "node:zlib";
import type { RawStream } from "../kube/index.ts";

/** Bytes of a chunk: larger ones than usual, since each has come from another thread. */
const CHUNK = 128 * 1024;

/** What asks a server to pack a long answer. */
export const packed: Readonly<Record<string, string>> = { "accept-encoding": "gzip" };

/** The stream as it was before the server packed it; the same one where it did not. Unpacking happens on another thread. */
export function unpacked(stream: RawStream): RawStream {
  return stream.headers["content-encoding"] === "gzip" ? new Unpacked(stream) : stream;
}

class Unpacked implements RawStream {
  readonly #packed: RawStream;
  readonly #gunzip: Gunzip = createGunzip({ chunkSize: CHUNK });
  #isOver = false;

  constructor(stream: RawStream) {
    this.#packed = stream;
  }

  get status(): number {
    return this.#packed.status;
  }

  get headers(): RawStream["headers"] {
    return this.#packed.headers;
  }

  get body(): AsyncIterable<Buffer> {
    throw new Error("what is packed is read by pipe");
  }

  /** Rejects as the packed stream's, with what `onData` threw, or with SyntaxError for bytes that are not packed as they should be. */
  async pipe(onData: (chunk: Buffer) => void): Promise<void> {
    const gunzip = this.#gunzip;
    const { promise: through, resolve, reject } = Promise.withResolvers<void>();
    gunzip.on("data", (chunk: Buffer) => {
      try {
        if (!this.#isOver) onData(chunk);
      } catch (thrown) {
        reject(thrown);
        this.close();
      }
    });
    gunzip.on("drain", () => this.#packed.resume());
    gunzip.once("error", ({ message }) => reject(new SyntaxError(`badly packed: ${message}`)));
    gunzip.once("end", resolve);
    gunzip.once("close", resolve); // of a reader who has heard enough
    const taken = this.#packed.pipe((chunk) => {
      if (!this.#isOver && !gunzip.write(chunk)) this.#packed.pause();
    });
    taken.then(() => {
      if (!this.#isOver) gunzip.end();
    }, reject);
    try {
      await through;
    } finally {
      this.close();
    }
  }

  pause(): void {
    this.#gunzip.pause();
  }

  resume(): void {
    this.#gunzip.resume();
  }

  close(): void {
    this.#isOver = true;
    this.#packed.close();
    this.#gunzip.destroy();
  }
}
