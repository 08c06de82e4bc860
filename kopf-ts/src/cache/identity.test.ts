import { expect } from "chai";
import { ResourceVersions, Uids } from "./identity.ts";
import { Rows } from "./rows.ts";

const texts = ["0", "1", "42", "999999999999999", "1000000000000000", "00", "007", "", "1e3", "x"];
const uids = [
  "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "00000000-0000-0000-0000-000000000000",
  "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
  "not a uuid",
  "",
];

for (const { name, make, values } of [
  { name: "ResourceVersions", make: (rows: Rows) => new ResourceVersions(rows), values: texts },
  { name: "Uids", make: (rows: Rows) => new Uids(rows), values: uids },
]) {
  describe(name, () => {
    for (const value of values) {
      it(`keeps ${JSON.stringify(value)} as it is and tells it from all others`, () => {
        const column = make(new Rows());

        for (const other of values) {
          column.set(3, other);
          column.set(3, value);
          expect(column.get(3)).to.equal(value);
          expect(column.is(3, value)).to.equal(true);
          expect(column.is(3, other)).to.equal(other === value);
        }
      });
    }

    it("keeps a row's value when others go and rows are added", () => {
      const rows = new Rows();
      const column = make(rows);
      for (const [row, value] of values.entries()) column.set(row, value);

      column.delete(0);
      for (let n = 0; n < 100; n++) rows.add(`key-${n}`);

      for (const [row, value] of [...values.entries()].slice(1)) {
        expect(column.get(row)).to.equal(value);
      }
    });
  });
}

describe("ResourceVersions", () => {
  for (const { held, asked, newer } of [
    { held: "10", asked: "9", newer: true },
    { held: "9", asked: "10", newer: false },
    { held: "10", asked: "10", newer: false },
    { held: "b", asked: "a", newer: false },
    { held: "10", asked: "a", newer: false },
    { held: "b", asked: "1", newer: false },
  ]) {
    it(`says that ${held} is ${newer ? "" : "not "}certainly newer than ${asked}`, () => {
      const column = new ResourceVersions(new Rows());
      column.set(0, held);

      expect(column.isNewer(0, asked)).to.equal(newer);
    });
  }
});
