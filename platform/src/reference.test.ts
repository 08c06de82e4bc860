import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { expect } from "chai";
import { pages } from "./reference.ts";

describe("the reference of settings and features", () => {
  for (const [file, page] of Object.entries(pages)) {
    it(`says in ${basename(file)} what the table says`, async () => {
      const written = await readFile(file, "utf8");

      expect(
        written === page(),
        `docs/reference/${basename(file)} is out of date: run \`node platform/dist/reference.js\``,
      ).to.equal(true);
    });
  }
});
