/** metadata.fields: the cells of an object's row in the API server's table. */

import { type Cell, shown } from "../printers/cell.ts";

/** The cells as JSON, with places for what time changes: always one text more than there are changing cells. */
export interface Fields {
  readonly texts: readonly string[];
  readonly changing: readonly Cell[];
}

/** Prepares cells. */
export function toFields(cells: readonly Cell[]): Fields {
  const texts: string[] = [];
  const changing: Cell[] = [];
  let text = '"fields":[';
  for (const [index, cell] of cells.entries()) {
    if (index > 0) text += ",";
    if (typeof cell !== "object" || cell === null) {
      text += JSON.stringify(cell);
    } else {
      texts.push(text);
      changing.push(cell);
      text = "";
    }
  }
  texts.push(`${text}]`);
  return { texts, changing };
}

/** `"fields":[...]` at a time, in milliseconds since the Unix epoch. */
export function fieldsAt({ texts, changing }: Fields, now: number): string {
  let text = texts[0] ?? "";
  for (const [index, cell] of changing.entries()) {
    text += `"${shown(cell, now)}"${texts[index + 1] ?? ""}`;
  }
  return text;
}

/** `"fields":[...]` as the API server told the cells. */
export function fieldsAsTold(cells: readonly unknown[]): string {
  return `"fields":${JSON.stringify(cells)}`;
}
