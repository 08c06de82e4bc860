/** Items of all types, for all callers. */

import type { Inventory } from "../inventory/inventory.ts";
import type { Types } from "../types/resource-type.ts";
import type { ItemContext, Items, ItemWriter } from "./item.ts";
import { PackedItems } from "./packed.ts";
import { Pieces, type PiecesStats } from "./pieces.ts";
import { Writer, type WriterParts } from "./writer.ts";

/** What items are made with. */
export interface ItemsParts {
  readonly types: Types;
  /** Without it relationships are those that an object itself tells, without states. */
  readonly inventory?: Inventory | undefined;
  /** Kept for the next answer, roughly: two thirds pieces, one third deflated items; 96 MiB unless told. */
  readonly bytes?: number | undefined;
}

/** What is kept. */
export interface ItemsStats extends PiecesStats {
  /** Bytes of deflated items, roughly. */
  readonly deflated: number;
}

const defaultBytes = 96 * 1024 * 1024;

/** Makes writers that share the pieces of objects that were listed lately. */
export class CachedItems implements Items {
  readonly #parts: WriterParts;

  constructor({ types, inventory, bytes = defaultBytes }: ItemsParts) {
    const third = bytes / 3;
    const [pieces, packed] = [new Pieces(types, third * 2), new PackedItems(third)];
    this.#parts = { types, inventory, pieces, packed };
  }

  /** Where the memory goes. */
  get stats(): ItemsStats {
    const { pieces, packed } = this.#parts;
    return { ...pieces.stats, deflated: packed.bytes };
  }

  writer(context: ItemContext): ItemWriter {
    return new Writer(this.#parts, context);
  }
}
