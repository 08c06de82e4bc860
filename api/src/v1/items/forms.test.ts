import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { type Deflated, GzipBody, stored } from "../pieces/gzip.ts";
import { type Drawn, Forms, type Makings } from "./forms.ts";

function makingsAt(fields: string): Makings {
  const packed = stored(Buffer.from(fields));
  return { view: "1", revision: 1, fields, packedFields: () => packed };
}
const makings = makingsAt("[1]");
const drawn: Drawn = {
  ours: "ours",
  head: [Buffer.from("{"), Buffer.alloc(3000, " ")],
  fields: "[1]",
  tail: [Buffer.alloc(2000, "\t"), Buffer.from("}")],
};
/** The same with the fields within it. */
const inOne: Drawn = {
  ...drawn,
  head: [...drawn.head, ...drawn.tail],
  fields: undefined,
  tail: [],
};
const [head, tail] = [Buffer.concat(drawn.head), Buffer.concat(drawn.tail)];

/** Forms of an item that was asked for twice, both as bytes and deflated. */
function kept(): Forms {
  const forms = new Forms();
  forms.keepBytes(makings, drawn);
  forms.keepBytes(makings, drawn);
  forms.keepDeflated(makings, drawn);
  return forms;
}

async function inflated(deflated: Deflated | undefined): Promise<Buffer> {
  const body = new GzipBody();
  if (deflated !== undefined) body.addDeflated(deflated);
  return gunzipSync(Buffer.concat(await body.end()));
}

describe("Forms", () => {
  it("keep nothing that was seen once", () => {
    const forms = new Forms();

    expect(forms.keepBytes(makings, drawn)).to.equal(undefined);
    expect(forms.bytesOf(makings)).to.equal(undefined);
    expect(forms.size).to.be.below(1000);
  });

  it("keep what was seen twice as it was", async () => {
    const forms = kept();
    const deflated = forms.deflatedOf(makings);

    expect(forms.bytesOf(makings)).to.deep.equal({ head, tail });
    expect(String(await inflated(deflated))).to.equal(`${head}[1]${tail}`);
    expect(forms.deflatedOf(makings)).to.equal(deflated);
    expect(forms.size).to.be.greaterThan(5000);
  });

  for (const change of [{ view: "2" }, { revision: 2 }]) {
    it(`tell nothing of another ${Object.keys(change)}`, () => {
      const other = { ...makings, ...change };

      expect(kept().bytesOf(other)).to.equal(undefined);
      expect(kept().deflatedOf(other)).to.equal(undefined);
    });
  }

  it("stay when ages go on, but where these are among the bytes", async () => {
    const later = makingsAt("[2]");
    const forms = new Forms();
    forms.keepBytes(makings, inOne);
    forms.keepBytes(makings, inOne);

    expect(kept().bytesOf(later)).to.deep.equal({ head, tail });
    const packed = kept();
    for (const each of [makings, later, makings]) {
      const text = `${head}${each.fields}${tail}`;
      expect(String(await inflated(packed.deflatedOf(each)))).to.equal(text);
    }
    expect(forms.bytesOf(makings)).to.deep.equal({
      head: Buffer.concat(inOne.head),
      tail: undefined,
    });
    expect(forms.bytesOf(later)).to.equal(undefined);
    expect(forms.keepBytes(later, inOne)).to.equal(undefined);
  });

  it("stay when a revision passes that left the item as it was", () => {
    const forms = kept();
    const bytes = forms.bytesOf(makings);
    const later = { ...makings, revision: 2 };

    expect(forms.keepBytes(later, { ...drawn, head: [] })).to.equal(bytes);
    expect(forms.bytesOf(later)).to.equal(bytes);
    expect(forms.bytesOf(makings)).to.equal(undefined);
  });

  it("go when the item is another one", () => {
    const forms = kept();
    const later = { ...makings, revision: 2 };

    expect(forms.keepBytes(later, { ...drawn, ours: "others" })).to.equal(undefined);
    expect([forms.bytesOf(later), forms.bytesOf(makings)]).to.deep.equal([undefined, undefined]);
    expect(forms.size).to.be.below(1000);
  });

  it("are a few, of the callers who asked last", () => {
    const forms = new Forms();
    for (const view of "0123456789") {
      for (let turn = 0; turn < 2; turn++) forms.keepBytes({ ...makings, view }, drawn);
    }

    const left = [..."0123456789"].filter((view) => forms.bytesOf({ ...makings, view }));
    expect(left).to.deep.equal(["6", "7", "8", "9"]);
  });
});
