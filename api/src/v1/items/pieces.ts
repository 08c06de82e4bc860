/** The pieces of objects that were listed lately. */

import type { Cache } from "kopf-ts";
import { LRUCache } from "lru-cache";
import type { Deflated } from "../pieces/gzip.ts";
import { managedFieldsIn } from "../pieces/splice.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import { type Drawn, Forms, type Halves, type Makings, sizeOf } from "./forms.ts";
import { type Piece, pieceOf } from "./piece.ts";
import { type Holder, Room } from "./room.ts";

/** A piece, and what it is of. */
export interface Kept extends Holder {
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
  usedAt: number;
}

/** What the pieces take. */
export interface PiecesStats {
  readonly pieces: number;
  /** Roughly. */
  readonly bytes: number;
}

/** Of all bytes, those that pieces may take; the rest, and what pieces leave, is for forms. */
const piecesShare = 0.75;

/**
 * Keeps pieces, the least used ones go, and forms where there is room. A piece holds positions in the bytes of a cache, and is used for the same bytes only: of the same cache
 * and key, with the same resourceVersion and length. It is made anew when the types change: its relationships name them.
 */
export class Pieces {
  readonly #types: Types;
  readonly #bytes: number;
  readonly #kept: LRUCache<string, Kept>;
  readonly #room = new Room();
  readonly #onSize: (bytes: number) => void;
  readonly #names = new WeakMap<Cache, string>();
  #named = 0;

  /** `onSize` is told how many bytes are kept, roughly. */
  constructor(types: Types, bytes: number, onSize: (bytes: number) => void = () => undefined) {
    this.#types = types;
    this.#bytes = bytes;
    this.#onSize = onSize;
    this.#kept = new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes * piecesShare)),
      dispose: (kept) => this.#room.delete(kept),
    });
  }

  get stats(): PiecesStats {
    return { pieces: this.#kept.size, bytes: this.#size };
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
      found.usedAt = now;
      return found;
    }
    const options = { ofCache: true, withoutManagedFields: false, withRelease: false };
    const piece = pieceOf(raw, { type, types: this.#types, now, ...options });
    const forms = new Forms();
    const kept: Kept = {
      ...{ name, piece, resourceVersion, type, length: raw.length, forms, usedAt: now },
      ...{ typesRevision: this.#types.revision, managedFields: undefined },
      clear: () => forms.clear(),
    };
    this.#weigh(kept);
    return kept;
  }

  /** metadata.managedFields of the object as a member with a comma before it; nothing where there are none. */
  managedFieldsOf(kept: Kept, cache: Cache, key: string, raw: Buffer): Buffer {
    if (kept.managedFields === undefined) {
      kept.managedFields = managedFieldsOf(cache, key, raw);
      this.#weigh(kept);
    }
    return kept.managedFields;
  }

  /** Keeps the item that was just made, as bytes; undefined where it is not worth that yet, or there is no room. */
  keepBytes(kept: Kept, makings: Makings, drawn: Drawn): Halves<Buffer> | undefined {
    if (!this.#mayKeep(kept, makings, drawn)) return undefined;
    const bytes = kept.forms.keepBytes(makings, drawn);
    this.#weighForms(kept);
    return bytes;
  }

  /** The same, deflated. */
  keepDeflated(kept: Kept, makings: Makings, drawn: Drawn): Halves<Deflated> | undefined {
    if (!this.#mayKeep(kept, makings, drawn)) return undefined;
    const deflated = kept.forms.keepDeflated(makings, drawn);
    this.#weighForms(kept);
    return deflated;
  }

  /** One that is kept already only gets another revision. */
  #mayKeep({ forms, usedAt }: Kept, { view }: Makings, drawn: Drawn): boolean {
    return forms.keeps(view) || this.#room.has(sizeOf(drawn), { limit: this.#left, now: usedAt });
  }

  /** Counts a piece anew; forms may have to go for it. */
  #weigh(kept: Kept): void {
    const { name, piece, managedFields } = kept;
    const fields = managedFields === undefined ? 0 : managedFields.length + overhead;
    this.#kept.set(name, kept, { size: piece.size + fields });
    this.#room.trim(this.#left);
    this.#onSize(this.#size);
  }

  /** Counts the forms of a piece anew; one that has gone meanwhile counts no more. */
  #weighForms(kept: Kept): void {
    if (this.#kept.peek(kept.name) === kept) this.#room.set(kept, kept.forms.size);
    this.#room.trim(this.#left);
    this.#onSize(this.#size);
  }

  /** What forms may take. */
  get #left(): number {
    return this.#bytes - this.#kept.calculatedSize;
  }

  get #size(): number {
    return this.#kept.calculatedSize + this.#room.size;
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
