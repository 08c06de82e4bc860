import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { globalRoles } from "./bootstrap/roles/data/global-roles.ts";
import { roleTemplates } from "./bootstrap/roles/data/role-templates.ts";
import { reference, referenceFile } from "./reference.ts";

describe("the reference of roles", () => {
  it("says in roles.md what the data say", async () => {
    const written = await readFile(referenceFile, "utf8");

    expect(
      written === reference(),
      "docs/reference/roles.md is out of date: run `node operators/dist/reference.js`",
    ).to.equal(true);
  });

  it("names every role, in rows of one length for each table", () => {
    const page = reference();

    for (const { metadata } of [...globalRoles({ oidcProvider: true }), ...roleTemplates]) {
      expect(page).to.contain(`| \`${metadata.name}\` |`);
    }
    for (const table of page.split("\n\n").filter((part) => part.startsWith("|"))) {
      const cells = table
        .trim()
        .split("\n")
        .map((row) => row.split(" | ").length);
      expect(new Set(cells).size).to.equal(1);
    }
  });
});
