/** Whole bodies of answers, which may be sent more than once. */

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Chunk } from "./chunks.ts";
import { Held, lengthOf } from "./held.ts";
import type { Lane } from "./lane.ts";

/** Bytes that wait for a caller at most; a page of a list fits. */
export const room: number = 2 * 1024 * 1024;

/** A body, and the room that it is in. */
export class Body extends Held {
  readonly #isPacked: boolean;

  /** Of chunks that are held already. */
  constructor(chunks: readonly Chunk[], isPacked: boolean) {
    super(chunks);
    this.#isPacked = isPacked;
  }

  /** Sends it as all that there is, as fast as the caller reads; it may be released meanwhile. Rejects when they are gone. */
  async send(response: ServerResponse, signal: AbortSignal, lane: Lane): Promise<void> {
    const { length } = this;
    response.setHeader("Content-Length", length);
    tellEncoding(response, this.#isPacked);
    this.hold();
    try {
      await lane.depart(response, length, signal);
      await writeEnd(response, this.chunks, signal);
    } finally {
      this.release();
    }
  }
}

/** What is in gzip for some is not for others. */
export function tellEncoding(response: ServerResponse, isPacked: boolean): void {
  response.setHeader("Vary", "Accept-Encoding");
  if (isPacked) response.setHeader("Content-Encoding", "gzip");
}

/** Writes chunks as fast as the caller reads, and holds each until it has gone. Rejects when they are gone. */
export async function writeChunks(
  response: ServerResponse,
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<void> {
  for (const chunk of chunks) {
    if (!write(response, chunk)) await once(response, "drain", { signal });
  }
}

/** The same, and ends the answer. Does not wait for the last one, and for none where all may wait for the caller: what is written in one turn goes out together. */
export async function writeEnd(
  response: ServerResponse,
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<void> {
  const [before, last] = [chunks.slice(0, -1), chunks.at(-1)];
  if (lengthOf(chunks) > room) await writeChunks(response, before, signal);
  else for (const chunk of before) write(response, chunk);
  if (last === undefined) {
    response.end();
    return;
  }
  last.hold();
  response.end(last.bytes, (error?: Error | null) => {
    if (!error) last.release(); // else somebody may still read it
  });
}

/** Whether more can be written at once. */
function write(response: ServerResponse, chunk: Chunk): boolean {
  chunk.hold();
  return response.write(chunk.bytes, (error) => {
    if (!error) chunk.release(); // else somebody may still read it
  });
}
