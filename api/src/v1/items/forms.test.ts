import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { GzipBody } from "../pieces/gzip.ts";
import { Forms, type Makings } from "./forms.ts";

const makings: Makings = { view: "1", revision: 1, fields: "[1]" };
const parts = [Buffer.from("{"), Buffer.alloc(5000, " "), Buffer.from("}")];
const all = Buffer.concat(parts);

/** Forms of an item that was asked for twice, both as bytes and deflated. */
function kept(): Forms {
  const forms = new Forms();
  forms.keepBytes(makings, "ours", parts);
  forms.keepBytes(makings, "ours", parts);
  forms.keepDeflated(makings, "ours", parts);
  return forms;
}

describe("Forms", () => {
  it("keep nothing that was seen once", () => {
    const forms = new Forms();

    expect(forms.keepBytes(makings, "ours", parts)).to.equal(undefined);
    expect(forms.bytesOf(makings)).to.equal(undefined);
    expect(forms.size).to.be.below(1000);
  });

  it("keep what was seen twice as it was", async () => {
    const forms = kept();
    const body = new GzipBody();
    const deflated = forms.deflatedOf(makings);
    if (deflated !== undefined) body.addDeflated(deflated);

    expect(forms.bytesOf(makings)?.equals(all)).to.equal(true);
    expect(gunzipSync(Buffer.concat(await body.end())).equals(all)).to.equal(true);
    expect(forms.size).to.be.greaterThan(5000);
  });

  for (const change of [{ view: "2" }, { revision: 2 }, { fields: "[2]" }]) {
    it(`tell nothing of another ${Object.keys(change)}`, () => {
      const other = { ...makings, ...change };

      expect(kept().bytesOf(other)).to.equal(undefined);
      expect(kept().deflatedOf(other)).to.equal(undefined);
    });
  }

  it("stay when a revision passes that left the item as it was", () => {
    const forms = kept();
    const bytes = forms.bytesOf(makings);
    const later = { ...makings, revision: 2 };

    expect(forms.keepBytes(later, "ours", [])).to.equal(bytes);
    expect(forms.bytesOf(later)).to.equal(bytes);
    expect(forms.bytesOf(makings)).to.equal(undefined);
  });

  it("go when the item is another one", () => {
    const forms = kept();
    const later = { ...makings, revision: 2 };

    expect(forms.keepBytes(later, "others", parts)).to.equal(undefined);
    expect([forms.bytesOf(later), forms.bytesOf(makings)]).to.deep.equal([undefined, undefined]);
    expect(forms.size).to.be.below(1000);
  });

  it("are a few, of the callers who asked last", () => {
    const forms = new Forms();
    for (const view of "0123456789") {
      for (let turn = 0; turn < 2; turn++) forms.keepBytes({ ...makings, view }, "ours", parts);
    }

    const left = [..."0123456789"].filter((view) => forms.bytesOf({ ...makings, view }));
    expect(left).to.deep.equal(["6", "7", "8", "9"]);
  });
});
