import { expect } from "chai";
import { silentLogger } from "../../base/index.ts";
import { fakeClock } from "../../testing/index.ts";
import { Background } from "../background.ts";
import { Columns } from "../columns/columns.ts";
import { Rows } from "../rows.ts";
import { Orders } from "./orders.ts";

/** Rows that count how often two of them are compared. */
class CountedRows extends Rows {
  comparisons = 0;

  override compare(a: number, b: number, ignoreCase = false): number {
    this.comparisons++;
    return super.compare(a, b, ignoreCase);
  }
}

describe("Orders", () => {
  it("compare few rows of many once, as long as none of them changes", () => {
    const rows = new CountedRows();
    const columns = new Columns(rows, () => undefined);
    const orders = new Orders(rows, columns, new Background(silentLogger), fakeClock());
    for (let n = 0; n < 2000; n++) rows.add(`ns/w-${(n * 7) % 2000}`);
    const mask = new Uint8Array(2000).fill(1, 0, 20);
    const selection = { mask, total: 20, version: 0, changes: 0 };
    const comparisons = (offset: number): number => {
      const before = rows.comparisons;
      orders.page([], offset, 5, 20, selection);
      return rows.comparisons - before;
    };

    const [first, second, third] = [comparisons(0), comparisons(0), comparisons(15)];
    selection.changes++;
    const changed = comparisons(0);

    expect([second, third]).to.deep.equal([0, 0]);
    expect([first, changed].every((count) => count >= 19)).to.equal(true);
  });
});
