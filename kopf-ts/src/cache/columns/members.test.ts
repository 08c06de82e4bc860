import { expect } from "chai";
import { Rows } from "../rows.ts";
import type { Column, ColumnType } from "./column.ts";
import { Columns } from "./columns.ts";
import { hasMember, oddMembers } from "./members.ts";
import { toText } from "./to-text.ts";

const values = [
  ...[undefined, null, "", "a", "a|b", "|", 7, true, { a: "x|y" }],
  ...[[], [""], ["", ""], ["a"], ["a", "b"], ["a|b"], ["a|b", "c"], ["a", "b|c"], [["a"], "b"]],
  ...[[null], [7, "7|"], [{ a: "x|y" }], [{ a: 1 }, "b"]],
];

const asked = ["", "a", "b", "c", "a|b", "b|c", "|", "7", "7|", "true", '{"a":"x|y"}', '{"a":1}'];

/** What a value has for members, when nothing is kept as a text. */
function membersOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [toText(value) ?? ""];
  return value.flatMap((each) => (Array.isArray(each) ? membersOf(each) : [toText(each) ?? ""]));
}

describe("members of lists", () => {
  for (const value of values) {
    it(`are told apart in ${JSON.stringify(value)}`, () => {
      const text = toText(value);
      const odd = oddMembers(value, text);

      const found = asked.filter((member) => hasMember(text, odd, member));

      expect(found).to.deep.equal(asked.filter((member) => membersOf(value).includes(member)));
    });
  }

  for (const type of ["keyword", "text"] as const satisfies readonly ColumnType[]) {
    it(`follow the values of a ${type} column, whatever each row had before`, () => {
      const rows = new Rows();
      const changes: number[] = [];
      const columns = new Columns(rows, (row) => changes.push(row));
      const added = columns.add({ name: "c", type });
      for (const row of values.keys()) rows.add(`key-${row}`);
      const fill = (now: readonly unknown[]): void => {
        for (const [row, value] of now.entries()) columns.set(row, added, value);
      };

      for (let shift = 0; shift < values.length; shift++) {
        const now = values.map((_, row) => values[(row * 7 + shift * 5) % values.length]);
        fill(now);
        changes.length = 0;
        fill(now);

        expect(changes).to.deep.equal([]);
        for (const member of asked) expectMember(added.column, now, member);
      }
    });
  }
});

/** A column says of each row what its value says. */
function expectMember(column: Column, now: readonly unknown[], member: string): void {
  const expected = now.map((value) => membersOf(value).includes(member));
  const out = new Uint8Array(now.length);
  column.select({ column: "c", op: "has", value: member }, out, now.length);
  const isNot = column.tester({ column: "c", op: "hasnot", value: member });

  expect([...out].map(Boolean)).to.deep.equal(expected);
  expect(now.map((_, row) => !isNot(row))).to.deep.equal(expected);
}
