/** Writes docs/reference/v1.md: run `node api/dist/reference.js` after changing a table. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { page } from "./reference/page.ts";

/** The repository, from the compiled file. */
export const root: string = join(import.meta.dirname, "..", "..");

/** The file that is generated. */
export const referenceFile: string = join(root, "docs", "reference", "v1.md");

if (import.meta.main) await writeFile(referenceFile, page());
