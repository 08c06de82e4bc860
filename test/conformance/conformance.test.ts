import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { cases } from "./cases.ts";
import { file, page, root } from "./reference.ts";
import { shownCases } from "./titles.ts";

describe("conformance", () => {
  const shown = shownCases(root);

  for (const [number, { about, waits }] of Object.entries(cases)) {
    if (waits !== undefined) continue;
    it(`has a test of case ${number}: ${about}`, () => {
      expect(shown.get(Number(number)), `no title begins with "case ${number}:"`).to.not.equal(
        undefined,
      );
    });
  }

  it("knows every case that a title names", () => {
    expect([...shown.keys()].filter((number) => cases[number] === undefined)).to.deep.equal([]);
  });

  it("is what docs/reference/conformance.md says", async () => {
    const written = await readFile(file, "utf8");

    expect(
      written === page(),
      "docs/reference/conformance.md is out of date: run `node test/dist/conformance/reference.js`",
    ).to.equal(true);
  });
});
