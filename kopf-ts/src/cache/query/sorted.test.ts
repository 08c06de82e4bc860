import { expect } from "chai";
import type { Selection } from "./masks.ts";
import { SortedSelections } from "./sorted.ts";

function aSelection(): Selection {
  return { mask: new Uint8Array(0), total: 2, version: 0, changes: 0 };
}

describe("SortedSelections", () => {
  let sorted: SortedSelections;
  let sorts: number;

  beforeEach(() => {
    sorted = new SortedSelections();
    sorts = 0;
  });

  function ask(selection: Selection, order = "by color"): Uint32Array {
    return sorted.of(selection, order, () => Uint32Array.of(7, ++sorts));
  }

  it("sort a selection once", () => {
    const selection = aSelection();

    expect(ask(selection)).to.deep.equal(Uint32Array.of(7, 1));
    expect(ask(selection)).to.deep.equal(Uint32Array.of(7, 1));
    expect(ask(aSelection())).to.deep.equal(Uint32Array.of(7, 2));
  });

  it("sort it again once one of its rows has changed", () => {
    const selection = { ...aSelection() };
    ask(selection);
    Object.assign(selection, { changes: 1 });
    ask(selection);
    ask(selection);

    expect(sorts).to.equal(2);
  });

  it("never take an order for another one", () => {
    const selection = aSelection();

    const both = [ask(selection), ask(selection, "by name"), ask(selection)];

    expect(both.map(([, sort]) => sort)).to.deep.equal([1, 2, 3]);
  });
});
