import { expect } from "chai";
import { aType } from "./a-type.test.support.ts";
import { isTold, toldCells } from "./told.ts";

describe("toldCells", () => {
  for (const { what, fields, cells } of [
    {
      what: "texts, numbers, truths and nothing",
      fields: ["a", 1.5, true, null],
      cells: ["a", 1.5, true, null],
    },
    { what: "times since when something is", fields: [{ since: 5 }], cells: [{ since: 5 }] },
    {
      what: "lists and maps, as texts",
      fields: [[1, "b"], { c: 2 }, { since: "x" }],
      cells: ['[1,"b"]', '{"c":2}', '{"since":"x"}'],
    },
    { what: "nothing where there is none", fields: undefined, cells: [] },
    { what: "nothing in what is no list", fields: { a: 1 }, cells: [] },
  ]) {
    it(`finds ${what}`, () => {
      expect(toldCells({ metadata: { name: "n", fields } })).to.deep.equal(cells);
    });
  }

  for (const object of [undefined, null, 7, {}, { metadata: null }]) {
    it(`finds nothing in ${JSON.stringify(object)}`, () => {
      expect(toldCells(object)).to.deep.equal([]);
    });
  }

  it("tells types whose cells come with the objects from others", () => {
    const kind = "Thing";
    expect(isTold(aType({ kind, cells: toldCells }))).to.equal(true);
    expect(isTold(aType({ kind, cells: () => [] }))).to.equal(false);
    expect(isTold(aType({ kind }))).to.equal(false);
  });
});
