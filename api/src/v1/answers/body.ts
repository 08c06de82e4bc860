/** Whole bodies of answers, which may be sent more than once. */

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Chunk } from "./chunks.ts";

/** Bytes that wait for a caller at most; a page of a list fits. */
export const room: number = 2 * 1024 * 1024;

/** A body, and the room that it is in. */
export class Body {
  readonly #chunks: readonly Chunk[];
  readonly #isPacked: boolean;

  /** Of chunks that are held already. */
  constructor(chunks: readonly Chunk[], isPacked: boolean) {
    this.#chunks = chunks;
    this.#isPacked = isPacked;
  }

  /** In bytes. */
  get length(): number {
    return this.#chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Of memory, in bytes. */
  get size(): number {
    return this.#chunks.reduce((sum, { size }) => sum + size, 0);
  }

  /** Sends it as all that there is, as fast as the caller reads; it may be released meanwhile. Rejects when they are gone. */
  async send(response: ServerResponse, signal: AbortSignal): Promise<void> {
    response.setHeader("Content-Length", this.length);
    tellEncoding(response, this.#isPacked);
    this.hold();
    try {
      await this.#write(response, signal);
    } finally {
      this.release();
    }
  }

  /** One more is to release it. */
  hold(): void {
    for (const chunk of this.#chunks) chunk.hold();
  }

  /** Its room is used again once all have released it, and it has gone to all to whom it was sent. */
  release(): void {
    for (const chunk of this.#chunks) chunk.release();
  }

  async #write(response: ServerResponse, signal: AbortSignal): Promise<void> {
    let [from, waiting] = [0, 0];
    for (const [index, { bytes }] of this.#chunks.entries()) {
      waiting += bytes.length;
      if (waiting <= room) continue;
      if (!writeChunks(response, held(this.#chunks.slice(from, index)))) {
        await once(response, "drain", { signal });
      }
      [from, waiting] = [index, bytes.length];
    }
    writeEnd(response, held(this.#chunks.slice(from)));
  }
}

function held(chunks: readonly Chunk[]): readonly Chunk[] {
  for (const chunk of chunks) chunk.hold();
  return chunks;
}

/** What is in gzip for some is not for others. */
export function tellEncoding(response: ServerResponse, isPacked: boolean): void {
  response.setHeader("Vary", "Accept-Encoding");
  if (isPacked) response.setHeader("Content-Encoding", "gzip");
}

/** Writes chunks and releases each once it has gone; whether more can be written at once. */
export function writeChunks(response: ServerResponse, chunks: readonly Chunk[]): boolean {
  let goesOn = true;
  for (const chunk of chunks) {
    goesOn = response.write(chunk.bytes, (error) => {
      if (!error) chunk.release(); // else somebody may still read it
    });
  }
  return goesOn;
}

/** The same, and ends the answer. */
export function writeEnd(response: ServerResponse, chunks: readonly Chunk[]): void {
  writeChunks(response, chunks.slice(0, -1));
  const last = chunks.at(-1);
  if (last === undefined) response.end();
  else response.end(last.bytes, () => last.release());
}
