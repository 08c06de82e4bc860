/** A row of a table that Steve's behaviour is written down in. */

import type { Shown } from "../shown.ts";

/** A row, and where it is shown. */
export interface Row extends Shown {
  readonly row: string;
}

/** By table. */
export type Tables = Readonly<Record<string, readonly Row[]>>;

/** Where most of them are shown. */
export const v1 = "api/src/v1";

/** A row that a test of a file shows; the text is its title, or its row in a table there. */
export function row(text: string, file: string, test: string): Row {
  return { row: text, file, test };
}
