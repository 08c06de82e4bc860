/** Writes the items of one type for one caller. */

import type { Cache } from "kopf-ts";
import { type Reach, reaches } from "../access/access.ts";
import type { Collection } from "../collections/collection.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { parseExact, unlessTooDeep, writeExact } from "../json.ts";
import { spliced } from "../pieces/splice.ts";
import type { Types } from "../types/resource-type.ts";
import { associatedText } from "./associated.ts";
import { type Fields, fieldsAsTold, fieldsAt } from "./fields.ts";
import type { Makings } from "./forms.ts";
import type { ItemContext, ItemWriter, PackedItem } from "./item.ts";
import { Links } from "./links.ts";
import { Others } from "./others.ts";
import { type Piece, pieceOf } from "./piece.ts";
import type { Kept, Pieces } from "./pieces.ts";
import { isRemade, remade } from "./remade.ts";
import { hasReleases, strangersNamespace, type Tree } from "./settle.ts";

/** What all writers share. */
export interface WriterParts {
  readonly types: Types;
  readonly inventory: Inventory | undefined;
  readonly pieces: Pieces;
  /** A short name for a text, the same for the same one. */
  readonly viewOf: (text: string) => string;
}

/** An object and what its item is made of. */
interface Taken {
  readonly bytes: Buffer;
  readonly piece: Piece;
  /** With a comma before them; perhaps empty. */
  readonly managedFields: () => Buffer;
  /** Unless it is made for this answer alone. */
  readonly kept: Kept | undefined;
  /** What else the item is made of, where it may be kept as it was written. */
  readonly makings: Makings | undefined;
}

/** An item, and what was put into its metadata. */
interface Drawn {
  readonly ours: string;
  readonly parts: readonly Uint8Array[];
}

/** Cells as the server told them, or none, or those that can be computed. */
type ToldFields = readonly unknown[] | "none" | undefined;

/**
 * Writes items for one answer. Most are put together around the object's own bytes; where the shape asks for something else they are read and written anew, which takes ten
 * times as long. Rights are looked up once.
 */
export class Writer implements ItemWriter {
  readonly #parts: WriterParts;
  readonly #context: ItemContext;
  readonly #links: Links;
  readonly #others: Others;
  readonly #isRemade: boolean;
  readonly #hasManagedFields: boolean;
  readonly #withRelease: boolean;
  /** Of namespaces that the caller may not get little is told. */
  readonly #gets: Reach;
  /** Names what the caller sees and asks for; undefined where items say more than the inventory's revision tells. */
  readonly #view: string | undefined;

  constructor(parts: WriterParts, context: ItemContext) {
    const { type, access, base, shape } = context;
    this.#parts = parts;
    this.#context = context;
    this.#links = new Links(context);
    this.#others = new Others(parts.inventory, parts.types, access);
    this.#isRemade = isRemade(context);
    this.#hasManagedFields = !shape.exclude.includes("metadata.managedFields");
    this.#withRelease = shape.includeHelmData && hasReleases(type);
    this.#gets = type.id === "namespace" ? access.reach(["get"], type.kind) : "all";
    const isKept = !shape.associatedData && !shape.includeHelmData;
    this.#view = isKept
      ? parts.viewOf(JSON.stringify([access.fingerprint, base, shape]))
      : undefined;
  }

  ofKey({ cache }: Collection, key: string): readonly Uint8Array[] | undefined {
    const taken = this.#take(cache, key);
    if (taken === undefined) return undefined;
    const { kept, makings } = taken;
    const known = makings && kept?.forms.bytesOf(makings);
    if (known) return [known];
    const { ours, parts } = this.#write(taken, undefined);
    const bytes = makings && kept?.forms.keepBytes(makings, ours, parts);
    if (kept !== undefined) this.#parts.pieces.resize(kept);
    return bytes ? [bytes] : parts;
  }

  packedOfKey({ cache }: Collection, key: string): PackedItem | undefined {
    const taken = this.#take(cache, key);
    if (taken === undefined) return undefined;
    const { kept, makings } = taken;
    const known = makings && kept?.forms.deflatedOf(makings);
    if (known) return { deflated: known };
    const { ours, parts } = this.#write(taken, undefined);
    const deflated = makings && kept?.forms.keepDeflated(makings, ours, parts);
    if (kept !== undefined) this.#parts.pieces.resize(kept);
    return deflated ? { deflated } : { parts };
  }

  ofObject(bytes: Buffer, fields?: readonly unknown[] | "none"): readonly Uint8Array[] {
    return this.#write(this.#unkept(bytes, fields === undefined), fields).parts;
  }

  #take(cache: Cache, key: string): Taken | undefined {
    const bytes = cache.raw(key);
    if (bytes === undefined) return undefined;
    if (this.#withRelease) return this.#unkept(bytes, true);
    const { type, now } = this.#context;
    const { pieces } = this.#parts;
    const kept = pieces.of(type, cache, key, bytes, now);
    const managedFields = (): Buffer =>
      this.#hasManagedFields ? pieces.managedFieldsOf(kept, cache, key, bytes) : nothing;
    return { bytes, piece: kept.piece, managedFields, kept, makings: this.#makingsOf(kept.piece) };
  }

  #makingsOf({ fields }: Piece): Makings | undefined {
    const view = this.#view;
    if (view === undefined) return undefined;
    const { inventory } = this.#parts;
    const text = fields === undefined ? "" : fieldsAt(fields, this.#context.now);
    return { view, revision: inventory?.revision ?? 0, fields: text };
  }

  #unkept(bytes: Buffer, ofCache: boolean): Taken {
    const piece = this.#pieceOf(bytes, ofCache);
    return { bytes, piece, managedFields: () => nothing, kept: undefined, makings: undefined };
  }

  /** Made for this answer alone. */
  #pieceOf(bytes: Buffer, ofCache: boolean): Piece {
    const { type, now } = this.#context;
    const withoutManagedFields = !this.#hasManagedFields;
    const options = { ofCache, withoutManagedFields, withRelease: this.#withRelease };
    return pieceOf(bytes, { type, types: this.#parts.types, now, ...options });
  }

  #write({ bytes, piece, managedFields }: Taken, told: ToldFields): Drawn {
    const { identity, lead, rewritten = bytes, splice } = piece;
    const head = this.#links.headOf(identity);
    const ours = `${splice.isFirst ? "" : ","}${this.#metadataOf(piece, told)}`;
    const body = spliced(rewritten, splice, [Buffer.from(ours), managedFields()]);
    const rest = this.#rest(piece, body);
    const parts =
      rest === undefined
        ? [Buffer.from(`${head},${lead}`), ...body]
        : [Buffer.from(head), Buffer.from(rest)];
    return { ours, parts };
  }

  /** What follows the head of an item that is read and written anew; undefined for most items, and for what cannot be written. */
  #rest(piece: Piece, body: readonly Uint8Array[]): string | undefined {
    const { namespace, name } = piece.identity;
    const isHidden = !reaches(this.#gets, namespace, name);
    if (isHidden) return restOf(strangersNamespace(parsed(piece, body), name));
    if (!this.#isRemade) return undefined;
    const parts = { ...this.#context, types: this.#parts.types, piece };
    return unlessTooDeep(() => restOf(remade(parsed(piece, body), parts)));
  }

  /** What answers add to metadata. */
  #metadataOf(piece: Piece, told: ToldFields): string {
    const { type, now } = this.#context;
    const { fields, identity, edges } = piece;
    const state = told === "none" ? piece.plainState : piece.state;
    const relationships = this.#others.relationshipsText(type.id, identity, edges);
    const associated = this.#associatedText(piece);
    return `${associated}${fieldsText(fields, told, now)}${relationships},${state}`;
  }

  #associatedText(piece: Piece): string {
    const { type, shape, associated: collection, now } = this.#context;
    if (!shape.associatedData || collection === undefined) return "";
    const parts = { ...this.#parts, others: this.#others, collection, now };
    return associatedText(type.id, piece, parts);
  }
}

const nothing = Buffer.alloc(0);

/** With a comma behind it; empty for none. */
function fieldsText(fields: Fields | undefined, told: ToldFields, now: number): string {
  if (told === "none") return "";
  if (told !== undefined) return `${fieldsAsTold(told)},`;
  return fields === undefined ? "" : `${fieldsAt(fields, now)},`;
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
