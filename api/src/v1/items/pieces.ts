/** The pieces of objects that were listed lately. */

import type { Cache } from "kopf-ts";
import { Slabs, type SlabUsage } from "kopf-ts/cache";
import { LRUCache } from "lru-cache";
import type { Deflated } from "../pieces/gzip.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import { type Drawn, Forms, type Look, type Makings, sizeOf, sizeOfEntry } from "./forms.ts";
import { type Piece, pieceOf } from "./piece.ts";
import { type Holder, Room } from "./room.ts";

/** A piece, and what it is of. */
export interface Kept extends Holder {
  readonly key: string;
  /** What is kept of the same cache, by key. */
  readonly others: Map<string, Kept>;
  readonly piece: Piece;
  /** The cache's number of the bytes. */
  readonly state: number;
  /** The cache's revision at which it was so still. */
  seenAt: number;
  readonly type: ResourceType;
  readonly typesRevision: number;
  /** What was written of it, as far as there is room. */
  readonly forms: Forms;
  /** `,"managedFields":[...]` once somebody wanted them, as far as there is room; nothing where there are none. */
  managedFields: Buffer | undefined;
  usedAt: number;
}

/** What the pieces take. */
export interface PiecesStats {
  readonly pieces: number;
  /** Roughly. */
  readonly bytes: number;
  /** Of these, where items as bytes are. */
  readonly slabs: SlabUsage;
}

/** Milliseconds within which it does not matter who was used when. */
const moment = 1000;

/** Whose piece is wanted, and when: in milliseconds since the Unix epoch. */
export interface PieceOf {
  readonly type: ResourceType;
  /** Of the object's cluster. */
  readonly types: Types;
  readonly now: number;
}

/** Of all bytes, those that pieces may take; the rest, and what pieces leave, is for forms. */
const piecesShare = 0.75;

/** A kind of form: up to where it may fill what is left for all, and by rank what is pushed out for it. */
interface Kind {
  readonly share: number;
  readonly rank: number;
}

/**
 * What saves most for its size ranks first: a deflated item saves 60 microseconds for 2 KB, managedFields 10 to 30 for 3 KB, an item as bytes 5 for 11 KB. Who asks for the
 * last, walking through everything, is not to push out the first.
 */
const kinds = {
  packed: { share: 1, rank: 3 },
  managedFields: { share: 0.95, rank: 2 },
  bytes: { share: 0.65, rank: 1 },
} as const;

/**
 * Keeps pieces of the objects of all clusters, the least used ones go, and forms and managedFields where there is room. A piece holds positions in the bytes of a cache, and is
 * used for the same bytes only. It is made anew when the types change: its relationships name them.
 */
export class Pieces {
  readonly #bytes: number;
  readonly #kept: LRUCache<Kept, true>;
  readonly #room = new Room();
  /** Of items as bytes. */
  readonly #slabs = new Slabs();
  readonly #onSize: (bytes: number) => void;
  readonly #byCache = new WeakMap<Cache, Map<string, Kept>>();

  /** `onSize` is told how many bytes are kept, roughly. */
  constructor(bytes: number, onSize: (bytes: number) => void = () => undefined) {
    this.#bytes = bytes;
    this.#onSize = onSize;
    this.#kept = new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes * piecesShare)),
      dispose: (_, kept) => this.#forget(kept),
    });
  }

  get stats(): PiecesStats {
    return { pieces: this.#kept.size, bytes: this.#size, slabs: this.#slabs.usage };
  }

  /** The piece of an object of a cache; undefined for one that the cache has no bytes of. */
  of(wanted: PieceOf, cache: Cache, key: string): Kept | undefined {
    const found = this.known(wanted, cache, key);
    return found === undefined ? this.#make(wanted, cache, key) : this.#used(found, wanted.now);
  }

  /** The same where it is at hand; using it so does not count. */
  known({ type, types }: PieceOf, cache: Cache, key: string): Kept | undefined {
    const found = this.#of(cache).get(key);
    const isOfType = found?.type === type && found.typesRevision === types.revision;
    return isOfType && isAsSeen(found, cache) ? found : undefined;
  }

  /** metadata.managedFields of the object as a member with a comma before it; nothing where there are none. */
  managedFieldsOf(kept: Kept, cache: Cache): Buffer {
    if (kept.managedFields !== undefined) return kept.managedFields;
    const fields = managedFieldsOf(cache, kept.key);
    if (this.#mayKeep(fields.length, kept, kinds.managedFields)) {
      kept.managedFields = fields;
      this.#weighForms(kept);
    }
    return fields;
  }

  /** Whether an item of this look was seen before, and is worth keeping; one that was not is remembered, if there is room for what it is wanted as. */
  meets(kept: Kept, makings: Makings, lookOf: () => Look, as: "bytes" | "packed"): boolean {
    if (kept.forms.knows(makings)) return true;
    const { size } = kept.forms;
    const look = lookOf();
    const isKnown = kept.forms.confirms(makings, look);
    if (!isKnown && this.#mayKeep(sizeOfEntry, kept, kinds[as])) kept.forms.enter(makings, look);
    if (kept.forms.size !== size) this.#weighForms(kept);
    return isKnown;
  }

  /** Keeps an item that was met, as bytes; undefined where there is no room. */
  keepBytes(kept: Kept, makings: Makings, drawn: Drawn): readonly Uint8Array[] | undefined {
    const isNew = !kept.forms.keeps("bytes", makings.view);
    if (isNew && !this.#mayKeep(sizeOf(drawn), kept, kinds.bytes)) return undefined;
    const bytes = kept.forms.keepBytes(makings, drawn);
    this.#weighDrawn(kept, drawn, isNew && bytes !== undefined);
    return bytes;
  }

  /** The same, deflated. Small ones never are: they are deflated with their neighbours, or would stay half as large again, for little work saved. */
  keepPacked(kept: Kept, makings: Makings, drawn: Drawn): Deflated | undefined {
    const size = sizeOf(drawn);
    if (size < smallest) return undefined;
    const hasRoom = (more: number): boolean => this.#mayKeep(more, kept, kinds.packed);
    const isNew = !kept.forms.keeps("packed", makings.view);
    if (isNew && !hasRoom(size * packedShare)) return undefined;
    const packed = kept.forms.keepPacked(makings, drawn, hasRoom);
    this.#weighDrawn(kept, drawn, isNew && kept.forms.keeps("packed", makings.view));
    return packed;
  }

  /** What an item has within it is not kept beside it. */
  #weighDrawn(kept: Kept, { hasManagedFields }: Drawn, isKept: boolean): void {
    if (isKept && hasManagedFields) kept.managedFields = undefined;
    this.#weighForms(kept);
  }

  #make({ type, types, now }: PieceOf, cache: Cache, key: string): Kept | undefined {
    const [raw, state] = [cache.raw(key), cache.stateOf(key)];
    if (raw === undefined || state === undefined) return undefined;
    const options = { ofCache: true, withoutManagedFields: false, withRelease: false };
    const piece = pieceOf(raw, { type, types, now, ...options });
    const forms = new Forms(piece.fields, this.#slabs);
    const others = this.#of(cache);
    const kept: Kept = {
      ...{ key, others, piece, state, seenAt: cache.revision, type, forms, usedAt: now },
      ...{ typesRevision: types.revision, managedFields: undefined },
      clear: (rank) => {
        if (rank >= kinds.packed.rank) forms.clear();
        else forms.clearBytes();
        if (rank >= kinds.managedFields.rank) kept.managedFields = undefined;
        return rank >= kinds.packed.rank ? 0 : sizeOfForms(kept);
      },
    };
    const before = others.get(key);
    if (before !== undefined) this.#kept.delete(before);
    this.#enter(kept);
    return kept;
  }

  /** Who is used again and again moves to the front now and then. */
  #used(kept: Kept, now: number): Kept {
    if (Math.abs(now - kept.usedAt) > moment) {
      this.#kept.get(kept);
      kept.usedAt = now;
    }
    return kept;
  }

  #forget(kept: Kept): void {
    this.#room.delete(kept);
    kept.forms.clear();
    if (kept.others.get(kept.key) === kept) kept.others.delete(kept.key);
  }

  /** Nothing is kept of what has gone meanwhile: nobody would let go of it. */
  #mayKeep(size: number, holder: Kept, { share, rank }: Kind): boolean {
    if (!this.#kept.has(holder)) return false;
    const limit = this.#left * share - this.#slack;
    return this.#room.has(size, { limit, now: holder.usedAt, rank, holder });
  }

  /** Counts a new piece; forms may have to go for it. */
  #enter(kept: Kept): void {
    kept.others.set(kept.key, kept);
    this.#kept.set(kept, true, { size: kept.piece.size });
    if (!this.#kept.has(kept)) this.#forget(kept); // larger than all that may be kept
    this.#settle();
  }

  /** Counts what is kept beside a piece anew; one that has gone meanwhile counts no more. */
  #weighForms(kept: Kept): void {
    if (this.#kept.has(kept)) this.#room.set(kept, sizeOfForms(kept));
    this.#settle();
  }

  #settle(): void {
    this.#room.trim(this.#left);
    this.#slabs.evacuate();
    this.#onSize(this.#size);
  }

  /** What forms may take. */
  get #left(): number {
    return this.#bytes - this.#kept.calculatedSize;
  }

  get #size(): number {
    return this.#kept.calculatedSize + this.#room.size + this.#slack;
  }

  /** What the slabs have free, or wait to move: at most as much again as items as bytes take, and 2 MiB. */
  get #slack(): number {
    const { allocated, live } = this.#slabs.usage;
    return allocated - live;
  }

  #of(cache: Cache): Map<string, Kept> {
    let all = this.#byCache.get(cache);
    if (all === undefined) {
      all = new Map();
      this.#byCache.set(cache, all);
    }
    return all;
  }
}

/** Whether the object has the state still. Where nothing has changed, none of its objects need be looked at. */
function isAsSeen(kept: Kept, cache: Cache): boolean {
  const { revision } = cache;
  if (kept.seenAt === revision) return true;
  if (cache.stateOf(kept.key) !== kept.state) return false;
  kept.seenAt = revision;
  return true;
}

function managedFieldsOf(cache: Cache, key: string): Buffer {
  const text = cache.managedFields(key);
  if (text === undefined) return nothing;
  const member = Buffer.allocUnsafeSlow(text.length + 1); // one of a pool would keep others alive
  member.write(",");
  text.copy(member, 1);
  return member;
}

function sizeOfForms({ forms, managedFields }: Kept): number {
  return forms.size + (managedFields === undefined ? 0 : managedFields.length + overhead);
}

const nothing = Buffer.alloc(0);

/** What deflated items take of what they were, mostly; who has no room for that need not try. */
const packedShare = 0.4;

/** Bytes of items that are worth deflating each for itself. */
const smallest = 4096;

/** Of a Buffer, in bytes. */
const overhead = 150;
