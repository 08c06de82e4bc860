import { expect } from "chai";
import { Columns } from "../columns/columns.ts";
import { Rows } from "../rows.ts";
import { Journal } from "./journal.ts";
import { Masks } from "./masks.ts";

describe("Masks", () => {
  it("count the room they take, also as more rows come", () => {
    const journal = new Journal();
    const rows = new Rows();
    const columns = new Columns(rows, (row) => journal.note(row));
    const masks = new Masks({ rows, columns }, journal);
    const filter = { column: "metadata.name", op: "contains", value: "7" } as const;
    const more = (count: number): void => {
      for (let n = 0; n < count; n++) journal.note(rows.add(`ns/w-${rows.end}`));
    };

    more(1000);
    const first = masks.select(filter);
    const before = masks.bytes;
    for (let step = 0; step < 50; step++) {
      more(100);
      masks.select(filter);
    }
    const last = masks.select(filter);

    expect(last).to.equal(first);
    expect(last.total).to.equal(rows.end - countWithout7(rows.end));
    expect(masks.bytes - before).to.be.at.least(5000);
    expect(masks.bytes).to.be.at.least(last.mask.length);
  });
});

function countWithout7(end: number): number {
  return Array.from({ length: end }, (_, n) => String(n)).filter((text) => !text.includes("7"))
    .length;
}
