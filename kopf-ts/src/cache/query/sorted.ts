import type { Selection } from "./masks.ts";

/** The rows of a selection in one sort order, and of which state of it that is true. */
interface Sorted {
  readonly order: string;
  readonly changes: number;
  readonly rows: Uint32Array;
}

/**
 * Selections in the sort order in which they were asked for last, until one of their rows changes: whoever looks at one namespace of many asks for the same
 * rows again and again. A selection that goes takes its rows with it.
 */
export class SortedSelections {
  readonly #sorted = new WeakMap<Selection, Sorted>();

  /** The rows of a selection in an order, which its name tells from all others; `sort` puts them into it. */
  of(selection: Selection, order: string, sort: () => Uint32Array): Uint32Array {
    const { changes } = selection;
    const known = this.#sorted.get(selection);
    if (known?.order === order && known.changes === changes) return known.rows;
    const rows = sort();
    this.#sorted.set(selection, { order, changes, rows });
    return rows;
  }
}
