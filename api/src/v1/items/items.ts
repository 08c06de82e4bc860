/** Items of all types, for all callers. */

import type { Family, Metrics } from "kopf-ts";
import type { Threads } from "../../threads.ts";
import { type ToldAccess, ToldRights, wholly } from "../access/told-rights.ts";
import type { Inventory } from "../inventory/inventory.ts";
import type { Types } from "../types/resource-type.ts";
import type { ItemContext, Items, ItemWriter } from "./item.ts";
import { Pieces, type PiecesStats } from "./pieces.ts";
import { Releases } from "./releases/releases.ts";
import { views } from "./views.ts";
import { Writer, type WriterParts } from "./writer.ts";

/** What items are made with. */
export interface ItemsParts {
  readonly types: Types;
  /** Without it relationships are those that an object itself tells, without states. */
  readonly inventory?: Inventory | undefined;
  /** Of the items of all clusters, kept for the next answer; those of its own unless told. */
  readonly pieces?: Pieces | undefined;
  /** Read large releases of Helm; without them these stay packed. */
  readonly threads?: Pick<Threads, "run"> | undefined;
}

const defaultBytes = 96 * 1024 * 1024;

const bytesFamily = {
  name: "drover_api_items_bytes",
  help: "Bytes of items that were listed lately, kept for the next answer",
  labels: [],
} as const satisfies Family;

/** Room for what is kept for the next answer, roughly: pieces, and items as they were written; 96 MiB unless told. Metrics are told how much it is. */
export function keptPieces({
  bytes = defaultBytes,
  metrics,
}: {
  readonly bytes?: number;
  readonly metrics?: Metrics | undefined;
} = {}): Pieces {
  const size = metrics?.gauge(bytesFamily).with();
  return new Pieces(bytes, (taken) => size?.set(taken));
}

/** Makes writers that share the pieces of objects that were listed lately. */
export class CachedItems implements Items {
  readonly #rights = new ToldRights();
  readonly #parts: WriterParts;

  constructor({ types, inventory, pieces = keptPieces(), threads }: ItemsParts) {
    const releases = threads && new Releases(threads);
    this.#parts = { types, inventory, pieces, releases, viewOf: views() };
  }

  /** Where the memory goes. */
  get stats(): PiecesStats {
    return this.#parts.pieces.stats;
  }

  /** What a shape asks for by name may be any rights: to remember that would make all others tell it as well. */
  rightsFor({ type, access, shape }: Parameters<Items["rightsFor"]>[0]): ToldAccess {
    return shape.checkPermissions.length > 0 ? wholly(access) : this.#rights.of(type.id, access);
  }

  writer(context: ItemContext): ItemWriter {
    return new Writer(this.#parts, { ...context, access: this.rightsFor(context) });
  }
}
