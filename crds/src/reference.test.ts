import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { reference, referenceFile } from "./reference.ts";

describe("the reference of custom resources", () => {
  it("says what the CRDs say", async () => {
    const written = await readFile(referenceFile, "utf8");

    const wanted = await reference();

    expect(
      written === wanted,
      "docs/reference/crds.md is out of date: run `node crds/dist/reference.js`",
    ).to.equal(true);
  });
});
