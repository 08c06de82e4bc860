import { createHash } from "node:crypto";
import { expect } from "chai";
import { caChecksum } from "./ca-checksum.ts";

describe("caChecksum", () => {
  const sum = createHash("sha256").update("bundle\n").digest("hex");

  for (const { name, bundle, expected } of [
    { name: "no bundle", bundle: "", expected: "" },
    { name: "one that ends in a newline", bundle: "bundle\n", expected: sum },
    { name: "one that does not", bundle: "bundle", expected: sum },
  ]) {
    it(`is what agents compute for ${name}`, () => expect(caChecksum(bundle)).to.equal(expected));
  }
});
