/** Items as answers show them: an object of Kubernetes with what /v1 adds (apiserver: pkg/writer/encoding.go; steve: pkg/resources/common/formatter.go). */

import type { Access } from "../access/access.ts";
import type { ToldAccess } from "../access/told-rights.ts";
import type { Collection } from "../collections/collection.ts";
import type { Deflated } from "../pieces/gzip.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { Fields } from "./fields.ts";

/** How items are to be shaped, from the parameters of a URL. */
export interface Shape {
  /** Paths; only these are kept when there are any. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Their keys are kept, with empty values. */
  readonly excludeValues: readonly string[];
  /** Cut texts that are longer. */
  readonly truncate: number | undefined;
  readonly includeHelmData: boolean;
  readonly checkPermissions: readonly string[];
  readonly associatedData: boolean;
}

/** For whom and how items are written. */
export interface ItemContext {
  readonly type: ResourceType;
  readonly access: Access;
  /** What URLs begin with. */
  readonly base: string;
  readonly shape: Shape;
  /** The objects of `associatedType`, where the shape asks for associated data; without, items have none. */
  readonly associated?: Collection | undefined;
  /** Of ages, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** An item for an answer in gzip: deflated already, with a comma before it (`asFirst` takes that away), or the parts of its JSON. */
export type PackedItem = Deflated | readonly Uint8Array[];

/** Whether an item is deflated. */
export function isPacked(item: PackedItem): item is Deflated {
  return !Array.isArray(item);
}

/** Writes items of one type for one caller. What it returns are the parts of one item's JSON, in order; they may be sent, not changed. */
export interface ItemWriter {
  /**
   * Reads a large release of Helm on another thread, so that the next item shows it if it is of this object; without, it stays packed. Rejects with the signal's reason. Undefined
   * where the shape asks for no releases.
   */
  readonly prepare:
    | ((object: Buffer | undefined, signal: AbortSignal) => Promise<void>)
    | undefined;
  /** An object of the collection; undefined when it has gone. */
  ofKey(collection: Collection, key: string): readonly Uint8Array[] | undefined;
  /** The same for an answer in gzip: deflated already where it was asked for before, just as it is. */
  packedOfKey(collection: Collection, key: string): PackedItem | undefined;
  /**
   * The time, in milliseconds since the Unix epoch, before which the items of these objects stay right that were just written, as far as ages go; not after `now` where that
   * cannot be told.
   */
  untilOf(collection: Collection, keys: readonly string[]): number;
  /** metadata.fields of an object of the collection; undefined for one that has none, or has gone. Where an item is neither deflated, hidden nor written anew, they are a part of its own once their bytes were asked for. */
  fieldsOf(collection: Collection, key: string): Fields | undefined;
  /**
   * An object as the API server sent it. `fields` are the cells of its table, for a get; "none" leaves metadata.fields out, for the answer of a write; without, the object is
   * shown as one of the cache, for past states. Throws SyntaxError and MalformedObject for what is no object.
   */
  ofObject(object: Buffer, fields?: readonly unknown[] | "none"): readonly Uint8Array[];
}

/** Makes writers; keeps the pieces of objects that were listed lately, bounded by bytes. */
export interface Items {
  /** The rights by which an answer with such items is to be made, to know of whom else it is the answer. */
  rightsFor(context: Pick<ItemContext, "type" | "access" | "shape">): ToldAccess;
  writer(context: ItemContext): ItemWriter;
}
