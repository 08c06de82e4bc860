import { expect } from "chai";
import { Columns } from "../columns/columns.ts";
import { Rows } from "../rows.ts";
import { Journal } from "./journal.ts";
import { Masks } from "./masks.ts";

/** The parts of a cache that masks look at. */
function aCache() {
  const journal = new Journal();
  const rows = new Rows();
  const columns = new Columns(rows, (row) => journal.note(row));
  return { journal, rows, columns, masks: new Masks({ rows, columns }, journal) };
}

describe("Masks", () => {
  it("count the room they take, also as more rows come", () => {
    const { journal, rows, masks } = aCache();
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

  it("tell how often their rows came, went or changed, and no others", () => {
    const { journal, rows, masks } = aCache();
    for (let n = 0; n < 2000; n++) rows.add(`ns/w-${n}`);
    const filter = { column: "metadata.name", op: "contains", value: "100" } as const;
    const after = (change: () => void): readonly number[] => {
      change();
      const { version, changes, total } = masks.select(filter);
      return [version, changes, total];
    };

    const steps = [
      after(() => undefined),
      after(() => journal.note(5)),
      after(() => journal.note(100)),
      after(() => {
        rows.remove(100);
        journal.note(100);
      }),
      after(() => journal.note(rows.add("ns/w-100100"))), // in the row of the one that went
      after(() => {
        rows.remove(100);
        journal.note(100);
        journal.note(rows.add("ns/w-99100"));
      }),
    ];

    expect(steps).to.deep.equal([
      [0, 0, 12],
      [0, 0, 12],
      [0, 1, 12],
      [1, 2, 11],
      [2, 3, 12],
      [2, 4, 12],
    ]);
  });

  it("tell integers apart that doubles round to the same", () => {
    const { rows, columns, masks } = aCache();
    const added = columns.add({ name: "n", type: "number" });
    for (let n = 0n; n < 2000n; n++) {
      columns.set(rows.add(`ns/w-${n}`), added, 9007199254740992n + n);
    }
    added.filled = true;
    const above = (value: bigint): number => masks.select({ column: "n", op: ">", value }).total;

    expect(above(9007199254740992n)).to.equal(1999);
    expect(above(9007199254740993n)).to.equal(1998);
  });

  it("keep each of the parts of which one has to hold, also of a large cache", () => {
    const { rows, masks } = aCache();
    for (let n = 0; n < 60_000; n++) rows.add(`ns/w-${n}`);
    const parts = Array.from(
      { length: 50 },
      (_, n) => ({ column: "metadata.name", op: "contains", value: `w-${n}9` }) as const,
    );

    const any = masks.select({ any: parts });

    expect(masks.bytes).to.be.at.least(51 * 60_000);
    const first = masks.select(parts[0] ?? { all: [] });
    expect(masks.select(parts[0] ?? { all: [] })).to.equal(first);
    const found = Array.from({ length: 60_000 }, (_, n) => `w-${n}`).filter((name) =>
      parts.some(({ value }) => name.includes(value)),
    );
    expect(any.total).to.equal(found.length);
  });
});

function countWithout7(end: number): number {
  return Array.from({ length: end }, (_, n) => String(n)).filter((text) => !text.includes("7"))
    .length;
}
