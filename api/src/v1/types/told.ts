/** Cells that only the API server can make: they come with the objects, as rows of its tables (steve: pkg/stores/proxy/watch.go). */

import type { Cell } from "../printers/cell.ts";
import type { Printer } from "../printers/printers.ts";
import { at, listAt } from "../tree.ts";

/** The cells that an informer with `table` keeps in metadata.fields; none where there are none, as in what an API server sends itself. */
export const toldCells: Printer = (object) => listAt(object, "metadata", "fields").map(cellOf);

/** Whether objects are asked for as rows of the server's tables. */
export function isTold({ cells }: { readonly cells: Printer | undefined }): boolean {
  return cells === toldCells;
}

/** Ages come as the times since when; lists and maps are shown as texts. */
function cellOf(cell: unknown): Cell {
  if (typeof cell === "string" || typeof cell === "boolean") return cell;
  if (typeof cell === "number" || typeof cell === "bigint" || cell === null) return cell;
  const since = at(cell, "since");
  return typeof since === "number" ? { since } : JSON.stringify(cell);
}
