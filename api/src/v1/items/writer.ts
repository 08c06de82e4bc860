/** Writes the items of one type for one caller. */

import type { Cache } from "kopf-ts";
import { type Reach, reaches } from "../access/access.ts";
import type { Collection } from "../collections/collection.ts";
import type { Lines } from "../digest.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { parseExact, unlessTooDeep, writeExact } from "../json.ts";
import type { Deflated } from "../pieces/gzip.ts";
import { spliced } from "../pieces/splice.ts";
import { strangersNamespace } from "../strangers.ts";
import type { Types } from "../types/resource-type.ts";
import { associatedText } from "./associated.ts";
import { type Fields, fieldsAsTold } from "./fields.ts";
import type { Drawn, Forms, Look, Makings } from "./forms.ts";
import type { ItemContext, ItemWriter, PackedItem } from "./item.ts";
import { type Identity, Links } from "./links.ts";
import { Others } from "./others.ts";
import { type Piece, pieceOf } from "./piece.ts";
import type { Kept, PieceOf, Pieces } from "./pieces.ts";
import { filled, hasReleases, type ReadRelease } from "./releases/release.ts";
import type { Releases } from "./releases/releases.ts";
import { isRemade, remade } from "./remade.ts";
import type { Tree } from "./settle.ts";
import { textOf } from "./shape.ts";

/** What all writers share. */
export interface WriterParts {
  readonly types: Types;
  readonly inventory: Inventory | undefined;
  readonly pieces: Pieces;
  readonly releases: Releases | undefined;
  /** A short name for lines of text, the same for the same ones. */
  readonly viewOf: (...lines: Lines) => string;
}

/** An object and what its item is made of. */
interface Taken {
  readonly bytes: () => Buffer;
  readonly piece: Piece;
  /** With a comma before them; perhaps empty. */
  readonly managedFields: () => Buffer;
}

/** What is put into metadata. */
interface Added {
  readonly before: string;
  /** `"fields":[...],`; empty for none. */
  readonly fields: Uint8Array;
  readonly after: string;
}

/** Cells as the server told them, or none, or those that can be computed. */
type ToldFields = readonly unknown[] | "none" | undefined;

/**
 * Writes items for one answer. Most are put together around the object's own bytes; where the shape asks for something else they are read and written anew, which takes ten
 * times as long. Rights are looked up once.
 */
export class Writer implements ItemWriter {
  readonly prepare: ItemWriter["prepare"];
  readonly #parts: WriterParts;
  readonly #context: ItemContext;
  readonly #wanted: PieceOf;
  readonly #links: Links;
  readonly #others: Others;
  readonly #isRemade: boolean;
  readonly #hasManagedFields: boolean;
  readonly #withRelease: boolean;
  /** Of the object that was prepared last. */
  #release: ReadRelease | undefined;
  /** Of namespaces that the caller may not get little is told. */
  readonly #gets: Reach;
  /** What the caller sees and asks for, at the inventory's revision of the item before; undefined where items say more than that tells. */
  #asked: Makings | undefined;

  constructor(parts: WriterParts, context: ItemContext) {
    const { type, access, shape, now } = context;
    this.#parts = parts;
    this.#context = context;
    this.#wanted = { type, types: parts.types, now };
    this.#links = new Links(context);
    this.#others = new Others(parts.inventory, parts.types, access);
    this.#isRemade = isRemade(context);
    this.#hasManagedFields = !shape.exclude.includes("metadata.managedFields");
    this.#withRelease = shape.includeHelmData && hasReleases(type);
    this.prepare = this.#withRelease ? (...of) => this.#prepare(...of) : undefined;
    this.#gets = type.id === "namespace" ? access.reach(["get"], type.kind) : "all";
    const isKept = !shape.associatedData && !shape.includeHelmData;
    this.#asked = isKept ? { ...this.#names(), revision: 0, now } : undefined;
  }

  /** Short names of what is asked for, and of who asks. */
  #names(): Pick<Makings, "shape" | "view"> {
    const { access, base, shape } = this.#context;
    const rights = access.fingerprint;
    const more = shape.checkPermissions.length > 0 ? [rights] : []; // what they are is among the bytes
    const { viewOf } = this.#parts;
    const lines: Lines = [base, textOf(shape)]; // of one line each
    return { shape: viewOf(...lines, ...more), view: viewOf(...lines, rights) };
  }

  async #prepare(object: Buffer | undefined, signal: AbortSignal): Promise<void> {
    this.#release =
      object && (await this.#parts.releases?.read(object, this.#context.type, signal));
  }

  ofKey({ cache }: Collection, key: string): readonly Uint8Array[] | undefined {
    if (this.#withRelease) return this.#ofRelease(cache, key);
    return this.#ofKept(asBytes, cache, key);
  }

  packedOfKey({ cache }: Collection, key: string): PackedItem | undefined {
    if (this.#withRelease) return this.#ofRelease(cache, key);
    return this.#ofKept(asPacked, cache, key);
  }

  untilOf({ cache }: Collection, keys: readonly string[]): number {
    const { now } = this.#context;
    if (this.#withRelease) return now;
    let until = Number.POSITIVE_INFINITY;
    for (const key of keys) {
      const piece = this.#parts.pieces.known(this.#wanted, cache, key)?.piece;
      until = Math.min(until, piece === undefined ? now : (piece.fields?.untilFrom(now) ?? until));
    }
    return until;
  }

  fieldsOf({ cache }: Collection, key: string): Fields | undefined {
    return this.#parts.pieces.of(this.#wanted, cache, key)?.piece.fields;
  }

  ofObject(bytes: Buffer, fields?: readonly unknown[] | "none"): readonly Uint8Array[] {
    return partsOf(this.#write(this.#unkept(bytes, fields === undefined), fields));
  }

  #ofKept<T>(as: As<T>, cache: Cache, key: string): T | readonly Uint8Array[] | undefined {
    const kept = this.#parts.pieces.of(this.#wanted, cache, key);
    if (kept === undefined) return undefined;
    const makings = this.#makings;
    const known = makings && as.known(kept.forms, makings);
    return known ?? this.#drawAs(as, cache, kept, makings);
  }

  /** An item that is not known to be what it was; kept from the second time on. */
  #drawAs<T>(
    as: As<T>,
    cache: Cache,
    kept: Kept,
    makings: Makings | undefined,
  ): T | readonly Uint8Array[] {
    const { pieces } = this.#parts;
    const added = this.#addedTo(kept.piece, undefined);
    const look = (): Look => this.#lookOf(kept.piece, added);
    const met = makings && pieces.meets(kept, makings, look, as.kind) ? makings : undefined;
    const same = met && as.known(kept.forms, met);
    if (same) return same;
    const drawn = this.#draw(this.#taken(cache, kept), added);
    return (met && as.keep(pieces, kept, met, drawn)) ?? partsOf(drawn);
  }

  /** Links tell hidden namespaces apart as well: these cannot be viewed. */
  #lookOf({ identity }: Piece, { before, fields, after }: Added): Look {
    const links = (): string => this.#links.headOf(identity);
    const withFields = this.#isHidden(identity) || this.#isRemade || fields.length === 0;
    return { ours: before + after, links, withFields };
  }

  #ofRelease(cache: Cache, key: string): readonly Uint8Array[] | undefined {
    const bytes = cache.raw(key);
    return bytes && partsOf(this.#write(this.#unkept(bytes, true), undefined));
  }

  #taken(cache: Cache, kept: Kept): Taken {
    const bytes = (): Buffer => cache.raw(kept.key) ?? nothing; // of the piece: nobody else had a turn
    const managedFields = (): Buffer =>
      this.#hasManagedFields ? this.#parts.pieces.managedFieldsOf(kept, cache) : nothing;
    return { bytes, piece: kept.piece, managedFields };
  }

  /** What items are made of beside their pieces, where they may be kept as they were written. */
  get #makings(): Makings | undefined {
    const revision = this.#parts.inventory?.revision ?? 0;
    if (this.#asked !== undefined && this.#asked.revision !== revision)
      this.#asked = { ...this.#asked, revision };
    return this.#asked;
  }

  #unkept(bytes: Buffer, ofCache: boolean): Taken {
    const piece = this.#pieceOf(bytes, ofCache);
    return { bytes: () => bytes, piece, managedFields: () => nothing };
  }

  /** Made for this answer alone. */
  #pieceOf(bytes: Buffer, ofCache: boolean): Piece {
    const { type, now } = this.#context;
    const withoutManagedFields = !this.#hasManagedFields;
    const options = { ofCache, withoutManagedFields, withRelease: this.#withRelease };
    return pieceOf(bytes, { type, types: this.#parts.types, now, ...options });
  }

  #write(taken: Taken, told: ToldFields): Drawn {
    return this.#draw(taken, this.#addedTo(taken.piece, told));
  }

  #addedTo(piece: Piece, told: ToldFields): Added {
    return {
      before: `${piece.splice.isFirst ? "" : ","}${this.#associatedText(piece)}`,
      fields: this.#fieldsOf(piece, told),
      after: this.#metadataOf(piece, told),
    };
  }

  #draw({ bytes, piece, managedFields }: Taken, added: Added): Drawn {
    const { identity, lead, rewritten = bytes(), splice } = piece;
    const { before, fields, after } = added;
    const head = this.#links.headOf(identity);
    const members = [Buffer.from(before), fields, Buffer.from(after)];
    const managed = managedFields();
    const body = spliced(rewritten, splice, [...members, managed]);
    const inOne = { fields: undefined, tail: [], hasManagedFields: managed.length > 0 };
    const rest = this.#rest(piece, body);
    if (rest !== undefined)
      return { ...inOne, head: [Buffer.from(head), ...filled(rest, this.#release)] };
    const all = [Buffer.from(`${head},${lead}`), ...body];
    if (fields.length === 0) return { ...inOne, head: all };
    const at = all.indexOf(fields);
    return { ...inOne, head: all.slice(0, at), fields, tail: all.slice(at + 1) };
  }

  #isHidden({ namespace, name }: Identity): boolean {
    return !reaches(this.#gets, namespace, name);
  }

  /** What follows the head of an item that is read and written anew; undefined for most items, and for what cannot be written. */
  #rest(piece: Piece, body: readonly Uint8Array[]): string | undefined {
    const { identity } = piece;
    if (this.#isHidden(identity))
      return restOf(strangersNamespace(parsed(piece, body), identity.name));
    if (!this.#isRemade) return undefined;
    const parts = { ...this.#context, types: this.#parts.types, piece, release: this.#release };
    return unlessTooDeep(() => restOf(remade(parsed(piece, body), parts)));
  }

  /** `"fields":[...],`; empty for none. */
  #fieldsOf({ fields }: Piece, told: ToldFields): Uint8Array {
    if (told === "none") return nothing;
    if (told !== undefined) return Buffer.from(fieldsAsTold(told));
    return fields?.bytesOnceAt(this.#context.now) ?? nothing;
  }

  /** What answers add to metadata behind its fields. */
  #metadataOf({ identity, edges, plainState, state }: Piece, told: ToldFields): string {
    const relationships = this.#others.relationshipsText(this.#context.type.id, identity, edges);
    return `${relationships},${told === "none" ? plainState : state}`;
  }

  #associatedText(piece: Piece): string {
    const { type, shape, associated: collection, now } = this.#context;
    if (!shape.associatedData || collection === undefined) return "";
    const parts = { ...this.#parts, others: this.#others, collection, now };
    return associatedText(type.id, piece, parts);
  }
}

/** A form in which items are wanted. */
interface As<T> {
  readonly kind: "bytes" | "packed";
  known(forms: Forms, makings: Makings): T | undefined;
  keep(pieces: Pieces, kept: Kept, makings: Makings, drawn: Drawn): T | undefined;
}

const asBytes: As<readonly Uint8Array[]> = {
  kind: "bytes",
  known: (forms, makings) => forms.bytesOf(makings),
  keep: (pieces, ...of) => pieces.keepBytes(...of),
};

const asPacked: As<Deflated> = {
  kind: "packed",
  known: (forms, makings) => forms.packedOf(makings),
  keep: (pieces, ...of) => pieces.keepPacked(...of),
};

const nothing = Buffer.alloc(0);

function partsOf({ head, fields, tail }: Drawn): readonly Uint8Array[] {
  return fields === undefined ? head : [...head, fields, ...tail];
}

/** The object of an item; what was spliced together is one. */
function parsed({ lead }: Piece, body: readonly Uint8Array[]): Tree {
  return parseExact(`{${lead}${Buffer.concat(body)}`) as Tree;
}

/** What follows the head of an item. */
function restOf(object: Tree): string {
  const text = writeExact(object);
  return text === "{}" ? "}" : `,${text.slice(1)}`;
}
