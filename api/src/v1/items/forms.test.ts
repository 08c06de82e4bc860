import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { type Deflated, GzipBody } from "../pieces/gzip.ts";
import { Fields } from "./fields.ts";
import { type Drawn, Forms, type Makings } from "./forms.ts";

const fields = new Fields([{ since: 0 }]);
const makings: Makings = { view: "1", revision: 1, now: 1000 };
const later: Makings = { ...makings, now: 2000 };
const textOf = ({ now }: Makings): string => fields.at(now);
const drawn: Drawn = {
  ours: "ours",
  head: [Buffer.from("{"), Buffer.alloc(3000, " ")],
  fields: textOf(makings),
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
  const forms = new Forms(fields);
  forms.keepBytes(makings, drawn);
  forms.keepBytes(makings, drawn);
  forms.keepPacked(makings, drawn);
  return forms;
}

async function inflated(deflated: Deflated | undefined): Promise<string> {
  const body = new GzipBody();
  if (deflated !== undefined) body.addDeflated(deflated);
  return String(gunzipSync(Buffer.concat(await body.end())));
}

describe("Forms", () => {
  it("keep nothing that was seen once", () => {
    const forms = new Forms(fields);

    expect(forms.keepBytes(makings, drawn)).to.equal(undefined);
    expect(forms.bytesOf(makings)).to.equal(undefined);
    expect(forms.size).to.be.below(1000);
  });

  it("keep what was seen twice as it was", async () => {
    const forms = kept();
    const packed = forms.packedOf(makings);

    expect(forms.bytesOf(makings)).to.deep.equal([head, Buffer.from(textOf(makings)), tail]);
    const whole = `${head}${textOf(makings)}${tail}`;
    expect(await inflated(packed?.first)).to.equal(whole);
    expect(await inflated(packed)).to.equal(`,${whole}`);
    expect(forms.packedOf(makings)).to.equal(packed);
    expect(forms.packedOf({ ...makings, now: 1999 })).to.equal(packed);
    expect(forms.size).to.be.greaterThan(5000);
  });

  for (const change of [{ view: "2" }, { revision: 2 }]) {
    it(`tell nothing of another ${Object.keys(change)}`, () => {
      const other = { ...makings, ...change };

      expect(kept().bytesOf(other)).to.equal(undefined);
      expect(kept().packedOf(other)).to.equal(undefined);
    });
  }

  it("stay when ages go on, but where these are among the bytes", async () => {
    const forms = new Forms(fields);
    forms.keepBytes(makings, inOne);
    forms.keepBytes(makings, inOne);

    expect(kept().bytesOf(later)).to.deep.equal([head, Buffer.from(textOf(later)), tail]);
    const packed = kept();
    for (const each of [makings, later, makings]) {
      const text = `${head}${textOf(each)}${tail}`;
      expect(await inflated(packed.packedOf(each)?.first)).to.equal(text);
      expect(await inflated(packed.packedOf(each))).to.equal(`,${text}`);
    }
    expect(forms.bytesOf(makings)).to.deep.equal([Buffer.concat(inOne.head)]);
    expect(forms.bytesOf(later)).to.equal(undefined);
    expect(forms.keepBytes(later, inOne)).to.equal(undefined);
  });

  it("stay when a revision passes that left the item as it was", () => {
    const forms = kept();
    const bytes = forms.bytesOf(makings);
    const next = { ...makings, revision: 2 };

    expect(forms.keepBytes(next, { ...drawn, head: [] })).to.deep.equal(bytes);
    expect(forms.bytesOf(next)).to.deep.equal(bytes);
    expect(forms.bytesOf(makings)).to.equal(undefined);
  });

  it("are confirmed at another revision by what is put into metadata", () => {
    const forms = kept();
    const [bytes, packed] = [forms.bytesOf(makings), forms.packedOf(makings)];
    const next = { ...makings, revision: 2 };

    expect(forms.confirms(next, "others")).to.equal(false);
    expect(forms.confirms({ ...next, view: "2" }, "ours")).to.equal(false);
    expect(forms.bytesOf(next)).to.equal(undefined);
    expect(forms.confirms(next, "ours")).to.equal(true);
    expect(forms.bytesOf(next)).to.deep.equal(bytes);
    expect(forms.packedOf(next)?.blocks).to.equal(packed?.blocks);
    const within = new Forms(fields);
    within.keepBytes(makings, inOne);
    within.keepBytes(makings, inOne);
    expect(within.confirms({ ...later, revision: 2 }, "ours")).to.equal(false);
    expect(within.confirms(next, "ours")).to.equal(true);
  });

  it("leave as bytes, and stay deflated", () => {
    const forms = kept();
    const { size } = forms;
    forms.clearBytes();

    expect(forms.bytesOf(makings)).to.equal(undefined);
    expect(forms.packedOf(makings)).to.not.equal(undefined);
    expect(forms.size).to.be.below(size - 5000);
  });

  it("go when the item is another one", () => {
    const forms = kept();
    const next = { ...makings, revision: 2 };

    expect(forms.keepBytes(next, { ...drawn, ours: "others" })).to.equal(undefined);
    expect([forms.bytesOf(next), forms.bytesOf(makings)]).to.deep.equal([undefined, undefined]);
    expect(forms.size).to.be.below(1000);
  });

  it("are a few, of the callers who asked last", () => {
    const forms = new Forms(fields);
    for (const view of "0123456789") {
      for (let turn = 0; turn < 2; turn++) forms.keepBytes({ ...makings, view }, drawn);
    }

    const left = [..."0123456789"].filter((view) => forms.bytesOf({ ...makings, view }));
    expect(left).to.deep.equal(["6", "7", "8", "9"]);
  });
});
