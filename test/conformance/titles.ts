/** Which tests show which cases: their titles begin with the numbers. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A test that shows a case. */
export interface Shown {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly title: string;
}

const pattern = /\b(?:it|describe)\(\s*(["'`])case ([\d, ]+): ([\s\S]*?)\1/g;

/** Tests by the number of the case that they show. */
export function shownCases(root: string): ReadonlyMap<number, readonly Shown[]> {
  const found = new Map<number, Shown[]>();
  for (const file of testFiles(root)) {
    for (const [, , numbers = "", title = ""] of readFileSync(join(root, file), "utf8").matchAll(
      pattern,
    )) {
      for (const number of numbers.split(",").map(Number)) {
        found.set(number, [...(found.get(number) ?? []), { file, title }]);
      }
    }
  }
  return found;
}

function testFiles(root: string): readonly string[] {
  const workspaces: readonly string[] = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ).workspaces;
  return workspaces
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => file.endsWith(".test.ts") && !/(^|\/)(dist|node_modules)\//.test(file))
    .filter((file, index, all) => all.indexOf(file) === index)
    .sort();
}
