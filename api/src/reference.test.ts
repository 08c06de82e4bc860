import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { coverage } from "./reference/coverage.ts";
import { defects } from "./reference/defects.ts";
import { page } from "./reference/page.ts";
import { ofItems, ofLists, ofRequests } from "./reference/parameters.ts";
import { referenceFile, root } from "./reference.ts";

describe("the reference of /v1", () => {
  it("says in v1.md what the tables say", async () => {
    const written = await readFile(referenceFile, "utf8");

    expect(
      written === page(),
      "docs/reference/v1.md is out of date: run `node api/dist/reference.js`",
    ).to.equal(true);
  });

  for (const [table, rows] of Object.entries({ ...coverage, "Defects of Steve": defects })) {
    it(`names tests that are there: ${table}`, () => {
      const missing = rows.filter(({ file, test }) => {
        const path = join(root, file);
        return !existsSync(path) || !readFileSync(path, "utf8").includes(test);
      });

      expect(missing).to.deep.equal([]);
    });
  }

  it("knows every parameter that lists and items read", () => {
    const known = [...ofLists, ...ofItems, ...ofRequests].flatMap(({ name }) => name.split(", "));
    const read = [...new Set(["query", "items", "lists"].flatMap(parametersIn))];

    expect(read).to.include.members(["filter", "pagesize", "include"]);
    expect(read.filter((name) => !known.includes(name.replace(/!$/, "")))).to.deep.equal([]);
  });
});

/** Names that code of a folder below v1 asks a URL for. */
function parametersIn(folder: string): readonly string[] {
  const path = join(root, "api/src/v1", folder);
  return readdirSync(path)
    .filter((file) => file.endsWith(".ts") && !file.includes(".test."))
    .map((file) => readFileSync(join(path, file), "utf8"))
    .flatMap((text) => [
      ...text.matchAll(
        /(?:query\.get(?:All)?|query\.has)\("([^"]+)"\)|\b(?:given|whole|pathsIn|lengthIn|truthIn|typesIn)\(query, "([^"]+)"/g,
      ),
    ])
    .map(([, direct = "", through = ""]) => direct || through);
}
