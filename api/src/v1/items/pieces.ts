/** The pieces of objects that were listed lately. */

import type { Cache } from "kopf-ts";
import { LRUCache } from "lru-cache";
import { managedFieldsIn } from "../pieces/splice.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import { Forms } from "./forms.ts";
import { type Piece, pieceOf } from "./piece.ts";

/** A piece, and what it is of. */
export interface Kept {
  readonly name: string;
  readonly piece: Piece;
  readonly resourceVersion: string | undefined;
  readonly length: number;
  readonly type: ResourceType;
  readonly typesRevision: number;
  /** What was written of it. */
  readonly forms: Forms;
  /** `,"managedFields":[...]` once somebody wanted them; nothing where there are none. */
  managedFields: Buffer | undefined;
}

/** What the pieces take. */
export interface PiecesStats {
  readonly pieces: number;
  /** Roughly. */
  readonly bytes: number;
}

/**
 * Keeps pieces, the least used ones go. A piece holds positions in the bytes of a cache, and is used for the same bytes only: of the same cache and key, with the same
 * resourceVersion and length. It is made anew when the types change: its relationships name them.
 */
export class Pieces {
  readonly #types: Types;
  readonly #kept: LRUCache<string, Kept>;
  readonly #onSize: (bytes: number) => void;
  readonly #names = new WeakMap<Cache, string>();
  #named = 0;

  /** `onSize` is told how many bytes are kept, roughly. */
  constructor(types: Types, bytes: number, onSize: (bytes: number) => void = () => undefined) {
    this.#types = types;
    this.#onSize = onSize;
    this.#kept = new LRUCache({ maxSize: Math.max(1, Math.floor(bytes)) });
  }

  get stats(): PiecesStats {
    return { pieces: this.#kept.size, bytes: this.#kept.calculatedSize };
  }

  /** The piece of an object of a cache, whose bytes are `raw`. */
  of(type: ResourceType, cache: Cache, key: string, raw: Buffer, now: number): Kept {
    const name = this.#nameOf(cache, key);
    const found = this.#kept.get(name);
    const resourceVersion = cache.resourceVersionOf(key);
    if (
      found !== undefined &&
      found.resourceVersion === resourceVersion &&
      found.length === raw.length &&
      found.type === type &&
      found.typesRevision === this.#types.revision
    ) {
      return found;
    }
    const options = { ofCache: true, withoutManagedFields: false, withRelease: false };
    const piece = pieceOf(raw, { type, types: this.#types, now, ...options });
    const kept: Kept = {
      ...{ name, piece, resourceVersion, type, length: raw.length },
      ...{ typesRevision: this.#types.revision, forms: new Forms(), managedFields: undefined },
    };
    this.resize(kept);
    return kept;
  }

  /** metadata.managedFields of the object as a member with a comma before it; nothing where there are none. */
  managedFieldsOf(kept: Kept, cache: Cache, key: string, raw: Buffer): Buffer {
    if (kept.managedFields === undefined) {
      kept.managedFields = managedFieldsOf(cache, key, raw);
      this.resize(kept);
    }
    return kept.managedFields;
  }

  /** Counts it anew, once more is kept of it. */
  resize(kept: Kept): void {
    const { name, piece, managedFields, forms } = kept;
    const fields = managedFields === undefined ? 0 : managedFields.length + overhead;
    this.#kept.set(name, kept, { size: piece.size + fields + forms.size });
    this.#onSize(this.#kept.calculatedSize);
  }

  /** Tells an object of a cache from all others, whatever its state. */
  #nameOf(cache: Cache, key: string): string {
    let name = this.#names.get(cache);
    if (name === undefined) {
      name = `${++this.#named} `;
      this.#names.set(cache, name);
    }
    return name + key;
  }
}

function managedFieldsOf(cache: Cache, key: string, raw: Buffer): Buffer {
  const complete = cache.rawWithManagedFields(key) ?? raw;
  const text = managedFieldsIn(complete, raw);
  if (text === undefined) return nothing;
  const member = Buffer.allocUnsafeSlow(text.length + 1); // one of a pool would keep others alive
  member.write(",");
  text.copy(member, 1);
  return member;
}

const nothing = Buffer.alloc(0);

/** Of a Buffer, in bytes. */
const overhead = 150;
