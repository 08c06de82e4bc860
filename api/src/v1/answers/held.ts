/** Bytes that may be sent more than once. */

import type { Chunk } from "./chunks.ts";

/** Chunks that are held together: whoever made them holds them first. */
export class Held {
  readonly chunks: readonly Chunk[];

  /** Of chunks that are held already. */
  constructor(chunks: readonly Chunk[]) {
    this.chunks = chunks;
  }

  /** In bytes. */
  get length(): number {
    return lengthOf(this.chunks);
  }

  /** Of memory, in bytes. */
  get size(): number {
    return this.chunks.reduce((sum, { size }) => sum + size, 0);
  }

  /** One more is to release it. */
  hold(): void {
    for (const chunk of this.chunks) chunk.hold();
  }

  /** Its room is used again once all have released it, and it has gone to all to whom it was sent. */
  release(): void {
    for (const chunk of this.chunks) chunk.release();
  }
}

/** In bytes. */
export function lengthOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
