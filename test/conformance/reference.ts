/** Writes docs/reference/conformance.md: run `node test/dist/conformance/reference.js` after adding a test of a case. */

import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Case, cases } from "./cases.ts";
import { type Shown, shownCases } from "./titles.ts";

/** The repository, from the compiled file. */
export const root: string = join(import.meta.dirname, "../../..");

/** Where the page is. */
export const file: string = join(root, "docs", "reference", "conformance.md");

/** The page as it has to be. */
export function page(): string {
  const shown = shownCases(root);
  const numbers = Object.keys(cases).map(Number);
  const rows = numbers.map((number) => row(number, cases[number], shown.get(number) ?? []));
  const done = numbers.filter((number) => cases[number]?.waits === undefined).length;
  return `# Conformance

What Rancher's own tests pin down, and the test here that shows it against real API servers. A test's title begins with the number of its case, so
\`mocha --grep "case 29"\` runs those of one. ${done} of ${numbers.length} cases are shown whole; the others say what they wait for.

<!-- Generated from test/conformance; run \`node test/dist/conformance/reference.js\` to write it anew. -->

| Case | Behaviour | Tests | State |
| --- | --- | --- | --- |
${rows.join("")}`;
}

function row(
  number: number,
  { about, waits }: Case = { about: "" },
  shown: readonly Shown[],
): string {
  const files = [...new Set(shown.map((test) => test.file))];
  const links = files.map((test) => `[${test}](${relative("docs/reference", test)})`).join("<br>");
  return `| ${number} | ${about} | ${links} | ${stateOf(waits, shown)} |\n`;
}

function stateOf(waits: string | undefined, shown: readonly Shown[]): string {
  if (waits !== undefined)
    return shown.length > 0 ? `in part; waits for ${waits}` : `waits for ${waits}`;
  return shown.length > 0 ? "shown" : "**missing**";
}

if (import.meta.main) await writeFile(file, page());
