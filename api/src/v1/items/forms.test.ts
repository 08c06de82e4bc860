import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { Slabs } from "kopf-ts/cache";
import { type Deflated, GzipBody } from "../pieces/gzip.ts";
import { Fields } from "./fields.ts";
import { type Drawn, Forms, type Look, type Makings, sizeOfEntry } from "./forms.ts";
import { asFirst } from "./packed.ts";

const fields = new Fields([{ since: 0 }]);
const makings: Makings = { shape: "whole", view: "1", revision: 1, now: 1000 };
const later: Makings = { ...makings, now: 2000 };
const textOf = ({ now }: Makings): string => fields.at(now);
const look: Look = { ours: "ours", links: () => "links", withFields: false };
const others: Look = { ...look, ours: "others" };
const drawn: Drawn = {
  head: [Buffer.from("{"), Buffer.alloc(3000, " ")],
  fields: Buffer.from(textOf(makings)),
  tail: [Buffer.alloc(2000, "\t"), Buffer.from("}")],
  hasManagedFields: false,
};
/** The same with the fields within it. */
const inOne: Drawn = {
  ...drawn,
  head: [...drawn.head, ...drawn.tail],
  fields: undefined,
  tail: [],
};
const lookInOne: Look = { ...look, withFields: true };
const [head, tail] = [Buffer.concat(drawn.head), Buffer.concat(drawn.tail)];

const always = (): boolean => true;

/** Whether it was seen before; else it is entered. */
function meets(forms: Forms, of: Makings, seen: Look): boolean {
  const isKnown = forms.confirms(of, seen);
  if (!isKnown) forms.enter(of, seen);
  return isKnown;
}

/** Forms of an item that was asked for twice, both as bytes and deflated. */
function kept(slabs = new Slabs()): Forms {
  const forms = new Forms(fields, slabs);
  for (let turn = 0; turn < 2; turn++) meets(forms, makings, look);
  forms.keepBytes(makings, drawn);
  forms.keepPacked(makings, drawn, always);
  return forms;
}

/** The same with the fields within the item, as bytes. */
function keptInOne(): Forms {
  const forms = new Forms(fields, new Slabs());
  for (let turn = 0; turn < 2; turn++) meets(forms, makings, lookInOne);
  forms.keepBytes(makings, inOne);
  return forms;
}

async function inflated(deflated: Deflated | undefined): Promise<string> {
  const body = new GzipBody();
  if (deflated !== undefined) body.addDeflated(deflated);
  return String(gunzipSync(Buffer.concat(await body.end())));
}

function firstOf(item: Deflated | undefined): Deflated | undefined {
  return item && asFirst(item);
}

describe("Forms", () => {
  it("keep nothing that was not seen before", () => {
    const forms = new Forms(fields, new Slabs());

    expect(forms.keepBytes(makings, drawn)).to.equal(undefined);
    expect(forms.confirms(makings, look)).to.equal(false);
    forms.enter(makings, look);
    expect(forms.confirms(makings, look)).to.equal(true);
    expect(forms.bytesOf(makings)).to.equal(undefined);
    expect(forms.packedOf(makings)).to.equal(undefined);
    expect(forms.size).to.equal(sizeOfEntry);
  });

  it("keep what was seen twice as it was", async () => {
    const forms = kept();
    const packed = forms.packedOf(makings);

    expect(forms.bytesOf(makings)).to.deep.equal([head, Buffer.from(textOf(makings)), tail]);
    const whole = `${head}${textOf(makings)}${tail}`;
    expect(await inflated(firstOf(packed))).to.equal(whole);
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
    expect(kept().bytesOf(later)).to.deep.equal([head, Buffer.from(textOf(later)), tail]);
    const packed = kept();
    for (const each of [makings, later, makings]) {
      const text = `${head}${textOf(each)}${tail}`;
      expect(await inflated(firstOf(packed.packedOf(each)))).to.equal(text);
      expect(await inflated(packed.packedOf(each))).to.equal(`,${text}`);
    }
    const forms = keptInOne();
    expect(forms.bytesOf(makings)).to.deep.equal([Buffer.concat(inOne.head)]);
    expect(forms.bytesOf(later)).to.equal(undefined);
    expect(forms.confirms(later, lookInOne)).to.equal(false);
    forms.enter(later, lookInOne);
    expect(forms.bytesOf(later)).to.equal(undefined);
    expect(forms.bytesOf(makings)).to.equal(undefined);
    expect(forms.size).to.equal(sizeOfEntry); // nobody sees the one before
  });

  it("show the ages of now, also when somebody who came before is told after", () => {
    const forms = kept();
    const text = (of: Makings): string => String(forms.bytesOf(of)?.[1]);

    expect(text(later)).to.equal(textOf(later));
    fields.packedAt(makings.now);
    expect(text(later)).to.equal(textOf(later));
  });

  it("are confirmed at another revision by what is put into metadata", () => {
    const forms = kept();
    const [bytes, packed] = [forms.bytesOf(makings), forms.packedOf(makings)];
    const next = { ...makings, revision: 2 };

    expect(forms.confirms(next, others)).to.equal(false);
    expect(forms.bytesOf(next)).to.equal(undefined);
    expect(forms.confirms(next, look)).to.equal(true);
    expect(forms.bytesOf(next)).to.deep.equal(bytes);
    expect(forms.packedOf(next)?.blocks[0]).to.equal(packed?.blocks[0]);
    expect(forms.bytesOf(makings)).to.equal(undefined);
    const within = keptInOne();
    expect(within.confirms({ ...later, revision: 2 }, lookInOne)).to.equal(false);
    expect(within.confirms(next, lookInOne)).to.equal(true);
  });

  it("are shared by those with other rights who see the same", () => {
    const forms = kept();
    const { size } = forms;
    const other = { ...makings, view: "2" };

    expect(forms.confirms(other, others)).to.equal(false);
    expect(forms.confirms(other, { ...look, links: () => "fewer" })).to.equal(false);
    expect(forms.confirms(other, { ...look, withFields: true })).to.equal(false);
    expect(forms.confirms({ ...other, shape: "another" }, look)).to.equal(false);
    expect(forms.confirms(other, look)).to.equal(true);
    for (const each of [makings, other, makings])
      expect(forms.packedOf(each)?.blocks[0]).to.equal(forms.packedOf(makings)?.blocks[0]);
    expect(forms.bytesOf(other)).to.deep.equal(forms.bytesOf(makings));
    expect(forms.size).to.be.below(size + 100);
  });

  it("are told to each at the revision that he has seen", () => {
    const forms = kept();
    const other = { ...makings, view: "2" };
    forms.confirms(other, look);
    forms.confirms({ ...makings, revision: 2 }, look);

    expect(forms.packedOf({ ...makings, revision: 2 })).to.not.equal(undefined);
    expect(forms.packedOf(other)).to.not.equal(undefined);
    expect(forms.packedOf({ ...other, revision: 2 })).to.equal(undefined);
  });

  it("part when one sees another item, and join again", () => {
    const forms = kept();
    const other = { ...makings, view: "2" };
    forms.confirms(other, look);
    const next = { ...other, revision: 2 };

    expect(meets(forms, next, others)).to.equal(false);
    expect(forms.keeps("packed", "2")).to.equal(false);
    expect(forms.packedOf(other)).to.equal(undefined);
    expect(forms.packedOf(makings)).to.not.equal(undefined);
    expect(meets(forms, { ...next, revision: 3 }, look)).to.equal(true);
    expect(forms.keeps("packed", "2")).to.equal(true);
  });

  it("are found again by any number of people", () => {
    const forms = kept();
    const { size } = forms;
    const views = Array.from({ length: 100 }, (_, index) => `v${index}`);

    for (const view of [...views, ...views]) {
      expect(forms.confirms({ ...makings, view }, look), view).to.equal(true);
      expect(forms.packedOf({ ...makings, view }), view).to.not.equal(undefined);
    }
    expect(forms.size).to.be.below(size + 1000);
  });

  it("leave as bytes, and stay deflated", () => {
    const forms = kept();
    const { size } = forms;
    forms.clearBytes();

    expect(forms.bytesOf(makings)).to.equal(undefined);
    expect(forms.packedOf(makings)).to.not.equal(undefined);
    expect(forms.size).to.be.below(size - 5000);
  });

  it("go when the item is another one to all who saw it", () => {
    const forms = kept();
    const next = { ...makings, revision: 2 };

    expect(meets(forms, next, others)).to.equal(false);
    expect([forms.bytesOf(next), forms.bytesOf(makings)]).to.deep.equal([undefined, undefined]);
    expect(forms.packedOf(makings)).to.equal(undefined);
    expect(forms.size).to.equal(sizeOfEntry);
  });

  it("are deflated for this once where there is no room", async () => {
    const forms = new Forms(fields, new Slabs());
    for (let turn = 0; turn < 2; turn++) meets(forms, makings, look);
    const noise = Buffer.from(randomBytes(3000).toString("base64"));
    let wanted = 0;
    const packed = forms.keepPacked(makings, { ...drawn, tail: [noise] }, (size) => {
      wanted = size;
      return false;
    });

    expect(await inflated(firstOf(packed))).to.equal(`${head}${textOf(makings)}${noise}`);
    expect(wanted).to.be.within(3000, 5000); // all of it, as it is deflated
    expect(forms.packedOf(makings)).to.equal(undefined);
    expect(forms.size).to.equal(sizeOfEntry);
  });

  it("stay where somebody new has come to them, when there are many", () => {
    const forms = kept();
    const come = (view: string, links: string): void =>
      void meets(forms, { ...makings, view }, { ...look, links: () => links });
    for (const view of ["a", "b", "c"]) come(view, view);
    come("new", "links");
    for (const view of ["d", "e", "f"]) come(view, view);

    expect(forms.packedOf(makings)).to.not.equal(undefined);
    come("g", "g");
    expect(forms.packedOf(makings)).to.equal(undefined);
  });

  it("are a few, of the looks that were new last", () => {
    const forms = new Forms(fields, new Slabs());
    const lookOfView = (view: string): Look => ({ ...look, links: () => view });
    for (const view of "0123456789") {
      for (let turn = 0; turn < 2; turn++) meets(forms, { ...makings, view }, lookOfView(view));
      forms.keepBytes({ ...makings, view }, drawn);
    }

    const left = [..."0123456789"].filter((view) => forms.bytesOf({ ...makings, view }));
    expect(left).to.deep.equal(["6", "7", "8", "9"]);
  });

  for (const [how, letGo] of Object.entries({
    "all go": (forms) => forms.clear(),
    "those as bytes go": (forms) => forms.clearBytes(),
    "nobody sees the item any more": (forms) => forms.enter(makings, others),
    "too many others come": (forms) => {
      for (const view of "abcd") forms.enter({ ...makings, view }, { ...look, links: () => view });
    },
  } satisfies Record<string, (forms: Forms) => void>)) {
    it(`give back the bytes they took when ${how}`, () => {
      const slabs = new Slabs();
      const forms = kept(slabs);
      const { live } = slabs.usage;

      letGo(forms);

      expect([live, slabs.usage.live]).to.deep.equal([head.length + tail.length, 0]);
      expect(forms.bytesOf(makings)).to.equal(undefined);
    });
  }

  it("are told as they were wherever the slabs have moved them, and what was told stays", () => {
    const slabs = new Slabs();
    const all = Array.from({ length: 100 }, () => kept(slabs));
    const left = all.filter((_, index) => index % 4 === 0);
    const before = left.map((forms) => forms.bytesOf(makings));
    for (const forms of all) if (!left.includes(forms)) forms.clear();

    let moves = 0;
    while (slabs.evacuate()) moves++;

    expect(moves).to.be.above(0);
    const item = [head, Buffer.from(textOf(makings)), tail];
    expect(left.map((forms) => forms.bytesOf(makings))).to.deep.equal(left.map(() => item));
    expect(before).to.deep.equal(left.map(() => item));
  });
});
