import { expect } from "chai";
import { collected } from "../../testing/index.ts";
import { Rows } from "../rows.ts";
import type { Column, ColumnType } from "./column.ts";
import { Columns } from "./columns.ts";
import type { Condition } from "./condition.ts";

type Asked = Condition extends infer C ? (C extends unknown ? Omit<C, "column"> : never) : never;

function columnOf(type: ColumnType, values: readonly unknown[]): { rows: Rows; column: Column } {
  const rows = new Rows();
  const columns = new Columns(rows, () => undefined);
  const added = columns.add({ name: "c", type });
  for (const [row, value] of values.entries()) {
    rows.add(`key-${row}`);
    columns.set(row, added, value);
  }
  return { rows, column: added.column };
}

function ask({ rows, column }: ReturnType<typeof columnOf>, asked: Asked): readonly number[] {
  const out = new Uint8Array(rows.end).fill(7);
  column.select({ column: "c", ...asked } as Condition, out, rows.end);
  return [...out.keys()].filter((row) => out[row] === 1);
}

const texts = ["Running", undefined, "Failed", "running", "", null, true, 7, ["a", "b"], { x: 1 }];

for (const type of ["keyword", "text"] as const) {
  describe(`a ${type} column`, () => {
    const filled = columnOf(type, texts);

    for (const { asked, expected } of [
      { asked: { op: "=", value: "Running" }, expected: [0] },
      { asked: { op: "=", value: "" }, expected: [4] },
      { asked: { op: "=", value: 7 }, expected: [7] },
      { asked: { op: "!=", value: "Running" }, expected: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
      { asked: { op: "in", values: ["Failed", "true", "none"] }, expected: [2, 6] },
      { asked: { op: "in", values: [] }, expected: [] },
      { asked: { op: "notin", values: ["Failed", "true"] }, expected: [0, 1, 3, 4, 5, 7, 8, 9] },
      { asked: { op: "has", value: "a" }, expected: [8] },
      { asked: { op: "has", value: "a|b" }, expected: [] },
      { asked: { op: "has", value: "Running" }, expected: [0] },
      { asked: { op: "has", value: "" }, expected: [4] },
      { asked: { op: "hasnot", value: "a" }, expected: [0, 1, 2, 3, 4, 5, 6, 7, 9] },
      { asked: { op: "contains", value: "RUN" }, expected: [0, 3] },
      { asked: { op: "contains", value: "a|b" }, expected: [8] },
      { asked: { op: "contains", value: "" }, expected: [0, 2, 3, 4, 6, 7, 8, 9] },
      { asked: { op: "<", value: "Running" }, expected: [2, 4, 7] },
      { asked: { op: "<=", value: "Running" }, expected: [0, 2, 4, 7] },
      { asked: { op: ">", value: "running" }, expected: [6, 9] },
      { asked: { op: ">=", value: "running" }, expected: [3, 6, 9] },
      { asked: { op: "exists" }, expected: [0, 2, 3, 4, 6, 7, 8, 9] },
      { asked: { op: "absent" }, expected: [1, 5] },
    ] as const) {
      it(`answers ${JSON.stringify(asked)}`, () => {
        expect(ask(filled, asked)).to.deep.equal(expected);
      });
    }

    it("puts absent values first, then orders by bytes", () => {
      const { column } = filled;
      const order = [...texts.keys()].sort((a, b) => column.compare(a, b) || a - b);

      expect(order).to.deep.equal([1, 5, 4, 7, 2, 0, 8, 3, 6, 9]);
    });

    it("says whether a value is another one, and forgets what is deleted", () => {
      const { column } = columnOf(type, ["a", "b"]);

      expect(column.set(0, "a")).to.equal(false);
      expect(column.set(0, "b")).to.equal(true);
      column.delete(0);
      expect(column.get(0)).to.equal(undefined);
      expect(column.get(1)).to.equal("b");
    });
  });
}

describe("a number column", () => {
  const filled = columnOf("number", [3, "12", undefined, -1.5, "x", "", 12]);

  for (const { asked, expected } of [
    { asked: { op: "=", value: 12 }, expected: [1, 6] },
    { asked: { op: "=", value: "12.0" }, expected: [1, 6] },
    { asked: { op: "=", value: "x" }, expected: [] },
    { asked: { op: "!=", value: 12 }, expected: [0, 2, 3, 4, 5] },
    { asked: { op: "<", value: 3 }, expected: [3] },
    { asked: { op: ">=", value: "3" }, expected: [0, 1, 6] },
    { asked: { op: ">", value: "x" }, expected: [] },
    { asked: { op: "in", values: [3, "-1.5", "x"] }, expected: [0, 3] },
    { asked: { op: "notin", values: [3] }, expected: [1, 2, 3, 4, 5, 6] },
    { asked: { op: "contains", value: "2" }, expected: [1, 6] },
    { asked: { op: "absent" }, expected: [2, 4, 5] },
  ] as const) {
    it(`answers ${JSON.stringify(asked)}`, () => {
      expect(ask(filled, asked)).to.deep.equal(expected);
    });
  }
});

describe("a number column with integers that doubles round", () => {
  const two53 = 9007199254740992n; // which a double can hold, as it can two53 + 2n
  const filled = columnOf("number", [
    ...[7, two53, two53 + 1n, "9007199254740994", `${two53 + 3n}`, undefined, -two53 - 1n],
    ...[2 ** 53, 1.5, "9223372036854775807", Number.POSITIVE_INFINITY],
  ]);

  for (const { asked, expected } of [
    { asked: { op: "=", value: two53 + 1n }, expected: [2] },
    { asked: { op: "=", value: "9007199254740993" }, expected: [2] },
    { asked: { op: "=", value: two53 }, expected: [1, 7] },
    { asked: { op: "=", value: 2 ** 53 }, expected: [1, 7] },
    { asked: { op: "in", values: [two53 + 3n, 7, "-9007199254740993"] }, expected: [0, 4, 6] },
    { asked: { op: "notin", values: [two53 + 1n] }, expected: [0, 1, 3, 4, 5, 6, 7, 8, 9, 10] },
    { asked: { op: "<", value: two53 + 1n }, expected: [0, 1, 6, 7, 8] },
    { asked: { op: ">", value: two53 + 1n }, expected: [3, 4, 9, 10] },
    { asked: { op: ">=", value: two53 + 1n }, expected: [2, 3, 4, 9, 10] },
    { asked: { op: ">", value: 2 ** 53 }, expected: [2, 3, 4, 9, 10] },
    { asked: { op: "<", value: Number.POSITIVE_INFINITY }, expected: [0, 1, 2, 3, 4, 6, 7, 8, 9] },
    { asked: { op: "contains", value: "993" }, expected: [2, 6] },
    { asked: { op: "absent" }, expected: [5] },
  ] as const) {
    const title = JSON.stringify(asked, (_, value) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    it(`answers ${title}`, () => {
      expect(ask(filled, asked)).to.deep.equal(expected);
    });
  }

  it("orders them as they are", () => {
    const { column } = filled;
    const order = Array.from({ length: 11 }, (_, row) => row).sort(
      (a, b) => column.compare(a, b) || a - b,
    );

    expect(order).to.deep.equal([5, 6, 8, 0, 1, 7, 2, 3, 4, 9, 10]);
  });

  it("gives bigints back only where a double would be another number", () => {
    const { column } = filled;

    expect([0, 1, 2, 3, 4].map((row) => column.get(row))).to.deep.equal([
      ...[7, 2 ** 53, two53 + 1n, 2 ** 53 + 2, two53 + 3n],
    ]);
  });

  it("says whether a value is another one, and forgets what is deleted", () => {
    const { column } = columnOf("number", [two53 + 1n, two53 + 1n]);
    const bytes = column.bytes;

    expect(column.set(0, two53 + 1n)).to.equal(false);
    expect(column.set(0, two53)).to.equal(true); // the double is the same
    expect(column.set(0, 2 ** 53)).to.equal(false);
    expect(column.set(0, two53 + 1n)).to.equal(true);
    column.delete(0);
    expect(column.get(0)).to.equal(undefined);
    expect(column.get(1)).to.equal(two53 + 1n);
    expect(column.bytes).to.be.lessThan(bytes);
  });
});

describe("a date column", () => {
  const filled = columnOf("date", ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "soon"]);

  it("compares points in time, however they are written", () => {
    expect(ask(filled, { op: "=", value: "2026-01-01T00:00:00Z" })).to.deep.equal([0, 1]);
    expect(ask(filled, { op: ">", value: Date.parse("2025-12-31T00:00:00Z") })).to.deep.equal([
      0, 1,
    ]);
    expect(ask(filled, { op: "absent" })).to.deep.equal([2]);
    expect(ask(filled, { op: "contains", value: "2026-01" })).to.deep.equal([0, 1]);
  });
});

/** A comparer whose column is gone, as a sort that V8 still compiles holds it. */
function orphan(type: ColumnType, count: number): (a: number, b: number) => number {
  const rows = new Rows();
  const columns = new Columns(rows, () => undefined);
  const added = columns.add({ name: "c", type });
  for (let row = 0; row < count; row++) {
    rows.add(`${row}`);
    columns.set(row, added, type === "number" ? row : `${row}`.padEnd(1000, "x"));
  }
  const compare = columns.comparer("c");
  columns.release("c");
  rows.clear();
  return compare;
}

describe("a column that goes", () => {
  for (const { type, count } of [
    { type: "text", count: 2000 },
    { type: "keyword", count: 2000 },
    { type: "number", count: 100_000 },
  ] as const) {
    it(`lets go of its values whoever still compares by it (${type})`, async () => {
      orphan(type, count);
      const before = await collected();

      const compare = orphan(type, count);

      const after = await collected();
      const kept = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
      expect(kept).to.be.below(200_000); // of 1 to 2 MB
      expect(compare(0, 1)).to.equal(0);
    });
  }

  it("takes the built-in ones with it when all go", () => {
    const rows = new Rows();
    const columns = new Columns(rows, () => undefined);
    const row = rows.add("ns/a");
    const created = "2026-01-01T00:00:00Z";
    const identity = { key: "ns/a", namespace: "ns", resourceVersion: "1", uid: "u" };
    columns.setBuiltIn(row, { ...identity, created, labels: '{"a":"b"}' });

    columns.dispose();

    expect(columns.bytes).to.equal(0);
    expect(columns.counts("metadata.namespace")).to.deep.equal(new Map());
    expect(columns.get(row, "metadata.creationTimestamp")).to.equal(undefined);
    expect(columns.labels.get(row)).to.deep.equal({});
  });
});

describe("Columns", () => {
  it("shares a column among those who ask for the same, until the last one leaves", () => {
    const columns = new Columns(new Rows(), () => undefined);
    const from = (): string => "x";
    columns.add({ name: "c", from });
    columns.add({ name: "c", from });

    expect(() => columns.add({ name: "c" })).to.throw("another column c");
    columns.release("c");
    expect(() => columns.comparer("c")).to.not.throw();
    columns.release("c");
    expect(() => columns.comparer("c")).to.throw("no column c");
  });

  it("refuses names of its own, and paths that are none", () => {
    const columns = new Columns(new Rows(), () => undefined);

    expect(() => columns.add({ name: "metadata.namespace" })).to.throw("built in");
    expect(() => columns.add({ name: "a..b" })).to.throw("not a path");
  });

  it("tells of each value that changed, by row and column", () => {
    const rows = new Rows();
    const told: string[] = [];
    const columns = new Columns(rows, (row, column) => told.push(`${row} ${column}`));
    const column = columns.add({ name: "c" });
    const row = rows.add("ns/a");
    const facts = { key: "ns/a", namespace: "ns", resourceVersion: "1", uid: "u", labels: "" };

    columns.setBuiltIn(row, { ...facts, created: "2026-01-01T00:00:00Z" });
    columns.setBuiltIn(row, { ...facts, created: "2026-01-01T00:00:00Z" });
    columns.set(row, column, "x");
    columns.set(row, column, "x");

    expect(told).to.deep.equal(["0 metadata.namespace", "0 metadata.creationTimestamp", "0 c"]);
  });
});
