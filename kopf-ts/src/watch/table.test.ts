import { expect } from "chai";
import { fakeClock, randomObject, seededRandom } from "../testing/index.ts";
import { parseEvent } from "./event.ts";
import { ListSplitter } from "./json/list.ts";
import { type ScannedObject, scanObject } from "./scan.ts";
import { TableRows } from "./table.ts";

const columns = [
  { name: "Name", type: "string" },
  { name: "Age", type: "string" },
  { name: "Seen" },
];
const object = { kind: "Thing", metadata: { name: "a", resourceVersion: "7" }, spec: { x: 1 } };
const row = { cells: ["a", "5m", 12], object };

function rowsOf(definitions: unknown = columns): TableRows {
  const rows = new TableRows(fakeClock());
  const bytes = Buffer.from(JSON.stringify(definitions));
  rows.define(bytes, 0, bytes.length);
  return rows;
}

/** What the bytes of an object say, which lie among others. */
function read(scanned: ScannedObject | undefined): unknown {
  return scanned && JSON.parse(scanned.bytes.toString("utf8", scanned.start, scanned.end));
}

function itemOf(item: unknown, rows: TableRows = rowsOf([])): unknown {
  const text = typeof item === "string" ? item : JSON.stringify(item);
  const bytes = Buffer.from(`##${text}##`);
  return read(rows.ofItem(bytes, 2, bytes.length - 2));
}

function eventOf(value: unknown, rows: TableRows, type = "ADDED"): unknown {
  const bytes = Buffer.from(JSON.stringify({ type, object: value }));
  const event = parseEvent(bytes, 0, bytes.length, rows);
  return "value" in event ? event.value : read(event.object);
}

const table = (more: object): object => ({
  ...{ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: "7" } },
  ...{ columnDefinitions: columns, rows: [row], ...more },
});

const withFields = (fields: unknown): object => ({
  ...object,
  metadata: { ...object.metadata, fields },
});

describe("TableRows", () => {
  it("puts the cells of a row into its object", () => {
    expect(itemOf(row)).to.deep.equal(withFields(["a", "5m", 12]));
  });

  it("finds what the scanner finds in the object of a row", () => {
    const bytes = Buffer.from(JSON.stringify({ cells: [1], object }));
    const found = rowsOf().ofItem(bytes, 0, bytes.length);
    expect(found).to.include({ name: "a", resourceVersion: "7", typed: false });
  });

  it("keeps the bytes of cells and objects", () => {
    const cells = '[ 12345678901234567890 ,"\\u00e9\\"]", {"b":[1,{"c":null}]} ,true]';
    const text = `{"cells": ${cells} ,"object": {"metadata" : {"name":"a","n":1.50}, "y":1e400} }`;
    const bytes = Buffer.from(text);
    const found = rowsOf().ofItem(bytes, 0, bytes.length);
    expect(found?.bytes.toString("utf8", found.start, found.end)).to.equal(
      `{"metadata" : {"name":"a","n":1.50,"fields":${cells}}, "y":1e400}`,
    );
  });

  it("prefers cells to what the object calls its fields", () => {
    expect(itemOf({ cells: [1], object: withFields("own") })).to.deep.equal(withFields([1]));
  });

  for (const { what, item, expected } of [
    { what: "an item that is no row", item: object, expected: object },
    {
      what: "an object that looks like a row",
      item: { ...object, ...row },
      expected: { ...object, ...row },
    },
    { what: "a row without cells", item: { object }, expected: object },
    { what: "a row whose cells are null", item: { cells: null, object }, expected: object },
    { what: "a row with no cells", item: { cells: [], object }, expected: withFields([]) },
    { what: "a row without an object", item: { cells: [1] }, expected: undefined },
    { what: "a row whose object is null", item: { cells: [1], object: null }, expected: undefined },
    { what: "a row cut off", item: '{"cells":[1],"object":{"metadata":{"na', expected: undefined },
    {
      what: "an object without a name",
      item: { cells: [1], object: { metadata: {} } },
      expected: undefined,
    },
  ]) {
    it(`understands ${what}`, () => {
      expect(itemOf(item)).to.deep.equal(expected);
    });
  }

  it("understands random objects as JSON.parse does", () => {
    const random = seededRandom(7);
    let rows = 0;
    for (let i = 0; i < 2_000; i++) {
      const [own, cell] = [randomObject(random), randomObject(random)];
      const head = Buffer.from('{"cells":[');
      const bytes = Buffer.concat([
        head,
        cell,
        Buffer.from(',1],"object":'),
        own,
        Buffer.from("}"),
      ]);

      const found = read(rowsOf().ofItem(bytes, 0, bytes.length));

      const expected = read(scanObject(own, 0, own.length));
      expect(found === undefined).to.equal(expected === undefined);
      if (expected === undefined) continue;
      rows++;
      const cells = [JSON.parse(cell.toString("utf8")), 1];
      Reflect.set(Object(Reflect.get(Object(expected), "metadata")), "fields", cells);
      expect(found).to.deep.equal(expected);
    }
    expect(rows).to.be.above(100);
  });

  describe("of ages", () => {
    const now = fakeClock().now();
    const created = new Date(now - 5 * 60_000 - 400).toISOString();
    const aged = { ...object, metadata: { ...object.metadata, creationTimestamp: created } };

    it("keeps the time of creation where that fits", () => {
      const item = itemOf({ cells: ["a", "5m", "5m"], object: aged }, rowsOf());
      const fields = ["a", { since: Date.parse(created) }, "5m"];
      expect(item).to.deep.equal({ ...aged, metadata: { ...aged.metadata, fields } });
    });

    it("keeps the time counted back from now where it does not", () => {
      const item = itemOf({ cells: ["a", "2h"], object: aged }, rowsOf([{}, { type: "date" }]));
      const fields = ["a", { since: now - 2 * 3_600_000 }];
      expect(item).to.deep.equal({ ...aged, metadata: { ...aged.metadata, fields } });
    });

    for (const cell of ["2026-01-01T00:00:00Z", "<unknown>", "", 5, null, { a: "5m" }, ["5m"]]) {
      it(`leaves ${JSON.stringify(cell)} as it is`, () => {
        const item = itemOf({ cells: ["a", cell, "x"], object: aged }, rowsOf());
        const fields = ["a", cell, "x"];
        expect(item).to.deep.equal({ ...aged, metadata: { ...aged.metadata, fields } });
      });
    }

    for (const definitions of [null, [], [null, null], ["Age", "Age"], { Age: 1 }]) {
      it(`leaves all as it is where columns are ${JSON.stringify(definitions)}`, () => {
        expect(itemOf(row, rowsOf(definitions))).to.deep.equal(withFields(row.cells));
      });
    }
  });

  describe("of events", () => {
    it("takes the object of the row, and the columns that only the first one names", () => {
      const rows = rowsOf(null);
      const fields = ["a", { since: fakeClock().now() - 300_000 }, 12];
      for (const columnDefinitions of [columns, null, undefined]) {
        for (const type of ["ADDED", "MODIFIED", "DELETED"]) {
          const found = eventOf(table({ columnDefinitions }), rows, type);
          expect(found).to.deep.equal(withFields(fields));
        }
      }
    });

    it("learns columns from a bookmark, which is a table too", () => {
      const rows = rowsOf(null);
      const mark = { metadata: { resourceVersion: "9", annotations: { x: "y" } } };
      const told = table({ rows: [{ cells: ["", "<unknown>"], object: mark }] });
      expect(eventOf(told, rows, "BOOKMARK")).to.deep.equal(mark);
      const fields = ["a", { since: fakeClock().now() - 300_000 }, 12];
      const found = eventOf(table({ columnDefinitions: null }), rows);
      expect(found).to.deep.equal(withFields(fields));
    });

    for (const { what, value, type, expected } of [
      { what: "an object", value: object, type: "ADDED", expected: object },
      {
        what: "an object of another kind that is called Table",
        value: { ...object, kind: "Table", apiVersion: "shop/v1", rows: [row] },
        type: "ADDED",
        expected: { ...object, kind: "Table", apiVersion: "shop/v1", rows: [row] },
      },
      {
        what: "a table without rows",
        value: table({ rows: [] }),
        type: "ADDED",
        expected: undefined,
      },
      { what: "a bookmark", value: object, type: "BOOKMARK", expected: object },
      { what: "an error", value: { code: 410 }, type: "ERROR", expected: { code: 410 } },
    ]) {
      it(`understands ${what}`, () => {
        expect(eventOf(value, rowsOf(), type)).to.deep.equal(expected);
      });
    }

    it("refuses a line that was cut off, at whatever byte", () => {
      const line = JSON.stringify({ type: "ADDED", object: table({}) });
      for (let end = 0; end < line.length; end++) {
        const bytes = Buffer.from(line.slice(0, end));
        expect(() => parseEvent(bytes, 0, end, rowsOf()), line.slice(0, end)).to.throw(SyntaxError);
      }
    });
  });

  it("reads a list that is a table, wherever it is cut", () => {
    const list = { ...table({}), metadata: { resourceVersion: "7", continue: "c" } };
    const bytes = Buffer.from(JSON.stringify(list));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const rows = new TableRows(fakeClock());
      const splitter = new ListSplitter(undefined, rows);
      const found: unknown[] = [];
      for (const chunk of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
        splitter.push(chunk);
        while (splitter.next()) {
          found.push(read(rows.ofItem(splitter.bytes, splitter.start, splitter.end)));
        }
      }
      const fields = ["a", { since: fakeClock().now() - 300_000 }, 12];
      expect(found, `${cut}`).to.deep.equal([withFields(fields)]);
      expect(splitter.metadata, `${cut}`).to.deep.equal({ resourceVersion: "7", continue: "c" });
      expect(splitter.done, `${cut}`).to.equal(true);
    }
  });

  it("takes rows for items of a table alone", () => {
    const splitter = new ListSplitter();
    splitter.push(Buffer.from('{"rows":[{"a":1}],"items":[{"b":1}]}'));
    const found: string[] = [];
    while (splitter.next()) {
      found.push(splitter.bytes.toString("utf8", splitter.start, splitter.end));
    }
    expect(found).to.deep.equal(['{"b":1}']);
  });
});
