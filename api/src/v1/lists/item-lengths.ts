/** How long items of a type are, as lists that nobody asked for before are begun in one chunk, too. */

import type { Shape } from "../items/item.ts";
import { textOf } from "../items/shape.ts";

/** Items differ: a little more room costs less than a second chunk. */
const MARGIN = 1.05;

/** Of one list. */
interface Lengths {
  /** As text. */
  readonly shape: string;
  readonly bytesOfItem: number;
}

/** What a list was written as. */
export interface Written {
  readonly items: number;
  readonly bytes: number;
  readonly isPacked: boolean;
  /** Entries of its summary. */
  readonly summaries: number;
}

/** Remembers, for each cache, how long the items of the last list that was written were. */
export class ItemLengths {
  readonly #lengths = new WeakMap<object, Lengths>();

  /** Bytes of a list of so many items, roughly; 0 where the last list had another shape, or there was none. */
  expected(cache: object, shape: Shape, items: number): number {
    const last = this.#lengths.get(cache);
    if (last === undefined || last.shape !== textOf(shape)) return 0;
    return Math.ceil(last.bytesOfItem * items * MARGIN);
  }

  /** Of a list that was packed, has nothing but its envelope or has a summary, this does not follow. */
  note(cache: object, shape: Shape, { items, bytes, isPacked, summaries }: Written): void {
    if (items === 0 || isPacked || summaries > 0) return;
    this.#lengths.set(cache, { shape: textOf(shape), bytesOfItem: bytes / items });
  }
}
