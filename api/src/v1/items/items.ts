/** Items of all types, for all callers. */

import type { Inventory } from "../inventory/inventory.ts";
import type { Types } from "../types/resource-type.ts";
import type { ItemContext, Items, ItemWriter } from "./item.ts";
import { Pieces, type PiecesStats } from "./pieces.ts";
import { Writer, type WriterParts } from "./writer.ts";

/** What items are made with. */
export interface ItemsParts {
  readonly types: Types;
  /** Without it relationships are those that an object itself tells, without states. */
  readonly inventory?: Inventory | undefined;
  /** Of pieces kept for the next answer, roughly; 64 MiB unless told. */
  readonly bytes?: number | undefined;
}

const defaultBytes = 64 * 1024 * 1024;

/** Makes writers that share the pieces of objects that were listed lately. */
export class CachedItems implements Items {
  readonly #parts: WriterParts;

  constructor({ types, inventory, bytes = defaultBytes }: ItemsParts) {
    this.#parts = { types, inventory, pieces: new Pieces(types, bytes) };
  }

  /** Where the memory goes. */
  get stats(): PiecesStats {
    return this.#parts.pieces.stats;
  }

  writer(context: ItemContext): ItemWriter {
    return new Writer(this.#parts, context);
  }
}
