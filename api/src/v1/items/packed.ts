/** Items in the form in which they go into gzip bodies, kept for the next answer. */

import { crc32 } from "node:zlib";
import { LRUCache } from "lru-cache";
import { type Deflated, deflated } from "../pieces/gzip.ts";
import type { Piece } from "./piece.ts";

/** An item that was written: what it was made of, and its bytes. */
export interface Written {
  /** Tells items apart. */
  readonly name: string;
  readonly piece: Piece;
  /** What it begins with. */
  readonly head: string;
  /** What was put into metadata. */
  readonly ours: string;
  readonly parts: readonly Uint8Array[];
}

/** Seen once, or deflated. */
interface Kept {
  readonly piece: Piece;
  /** Empty for one that was only seen. */
  readonly head: string;
  /** Likewise. */
  readonly ours: string;
  readonly sum: number;
  readonly deflated: Deflated | undefined;
}

/**
 * Deflates items that are asked for a second time just as they were: what changes all the time, or is looked at once, is cheaper to deflate with its neighbours. Callers who see
 * other links have items of their own.
 */
export class PackedItems {
  readonly #kept: LRUCache<string, Kept>;

  constructor(bytes: number) {
    this.#kept = new LRUCache({ maxSize: Math.max(1, Math.floor(bytes)) });
  }

  /** Of memory, roughly. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** The item deflated; undefined for one that is not worth it yet. */
  of(written: Written): Deflated | undefined {
    const { piece, head, ours, parts } = written;
    if (parts.reduce((size, { length }) => size + length, 0) < smallest) return undefined;
    const name = `${written.name} ${crc32(head)}`;
    const kept = this.#kept.get(name);
    if (kept?.piece === piece && kept.head === head && kept.ours === ours) return kept.deflated;
    const sum = crc32(ours);
    const isKnown = kept?.piece === piece && kept.deflated === undefined && kept.sum === sum;
    const entry: Kept = isKnown ? packed(written, sum) : seen(piece, sum);
    const blocks = entry.deflated?.blocks.length ?? 0;
    this.#kept.set(name, entry, {
      size: overhead + entry.head.length + entry.ours.length + blocks,
    });
    return entry.deflated;
  }
}

/** Smaller items are deflated with their neighbours: alone they would stay half as large again, for little work saved. */
const smallest = 4096;

/** Of an entry and its name. */
const overhead = 400;

function packed({ piece, head, ours, parts }: Written, sum: number): Kept {
  return { piece, head, ours, sum, deflated: deflated(Buffer.concat(parts)) };
}

function seen(piece: Piece, sum: number): Kept {
  return { piece, head: "", ours: "", sum, deflated: undefined };
}
