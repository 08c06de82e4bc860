/** Objects out of the API server's tables (meta.k8s.io/v1, Table): the cells of a row become metadata.fields of its object. */

import type { Clock } from "../base/index.ts";
import { parseJson } from "../kube/index.ts";
import { sinceOf } from "./age.ts";
import { type ByteRange, PathScanner } from "./json/path.ts";
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET, QUOTE, skipSpace, skipValue } from "./json/skip.ts";
import { type ScannedObject, scanObject } from "./scan.ts";

const NOTHING: Buffer = Buffer.alloc(0);
const FIELDS = Buffer.from(',"fields":');
/** How kind and apiVersion of a table begin. */
const TABLE = Buffer.from('"Table"');
const META = Buffer.from('"meta.k8s.io/');

/** Where an object and its cells lie. */
interface Row {
  readonly object: ByteRange;
  readonly cells: ByteRange | undefined;
}

/** Asks for tables with whole objects in their rows, or with metadata; a server that makes none answers as `accept` says. */
export function tableRequest(
  accept: string,
  metadataOnly: boolean,
): { readonly accept: string; readonly includeObject: string } {
  return {
    accept: `application/json;as=Table;g=meta.k8s.io;v=v1,${accept}`,
    includeObject: metadataOnly ? "Metadata" : "Object",
  };
}

/**
 * Reads the rows of one resource. Guarantees: what is no table is taken as it is, so that servers that make none are understood too. Cells keep their bytes, but for ages:
 * in a column of type date, or named Age, a text like `5m` becomes `{"since":<milliseconds since 1970>}`, since nobody can hold what changes by itself.
 */
export class TableRows {
  readonly #clock: Clock;
  readonly #item = new PathScanner([["metadata"], ["cells"], ["object"]]);
  readonly #event = new PathScanner([
    ...[["kind"], ["apiVersion"], ["columnDefinitions"]],
    ...[["rows", 0, "cells"] as const, ["rows", 0, "object"] as const],
  ]);
  #definitions: Buffer = NOTHING;
  #ages: ReadonlySet<number> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes the columns of the rows to come. On a stream a server tells them once, and says null from then on. */
  define(bytes: Buffer, start: number, end: number): void {
    if (bytes[start] !== OPEN_BRACKET) return;
    const definitions = bytes.subarray(start, end);
    if (definitions.equals(this.#definitions)) return;
    this.#definitions = Buffer.from(definitions);
    this.#ages = agesIn(parseJson(definitions.toString("utf8")));
  }

  /** The object of a list's row, or of an item of a list that is no table; undefined as from `scanObject`. */
  ofItem(bytes: Buffer, start: number, end: number): ScannedObject | undefined {
    this.#item.scan(bytes, start, end);
    const [metadata, cells, object] = rangesOf(this.#item);
    if (metadata !== undefined || object === undefined) return scanObject(bytes, start, end);
    return this.#withCells(bytes, object, cells);
  }

  /** The object of an event, which is that of the table's row, or the event's own. Notes columns that come with it. */
  ofEvent(bytes: Buffer, start: number, end: number): ScannedObject | undefined {
    const { object, cells } = this.#rowIn(bytes, start, end);
    return this.#withCells(bytes, object, cells);
  }

  /** Where the object lies that the table of an event has, or the event itself where it is no table. Notes columns as well. */
  valueOfEvent(bytes: Buffer, start: number, end: number): ByteRange {
    return this.#rowIn(bytes, start, end).object;
  }

  #rowIn(bytes: Buffer, start: number, end: number): Row {
    this.#event.scan(bytes, start, end);
    const [kind, apiVersion, columns, cells, object] = rangesOf(this.#event);
    const isTable = begins(bytes, kind, TABLE) && begins(bytes, apiVersion, META);
    if (!isTable || object === undefined) return { object: { start, end }, cells: undefined };
    if (columns !== undefined) this.define(bytes, columns.start, columns.end);
    return { object, cells };
  }

  /** In bytes of its own. The cells come last in metadata: what comes last counts. */
  #withCells(bytes: Buffer, { start, end }: ByteRange, cells: ByteRange | undefined) {
    const object = scanObject(bytes, start, end);
    if (object === undefined || cells === undefined || bytes[cells.start] !== OPEN_BRACKET) {
      return object;
    }
    const metadataEnd = object.metadataEnd - 1;
    const whole = Buffer.concat([
      ...[bytes.subarray(object.start, metadataEnd), FIELDS],
      ...this.#lasting(bytes, cells, object.creationTimestamp),
      bytes.subarray(metadataEnd, object.end),
    ]);
    return scanObject(whole, 0, whole.length);
  }

  /** The cells as they came, with times in the place of ages. */
  #lasting(bytes: Buffer, { start, end }: ByteRange, created: string): readonly Buffer[] {
    const parts: Buffer[] = [];
    let from = start;
    let index = 0;
    for (const cell of this.#ages.size === 0 ? [] : elementsOf(bytes, start, end)) {
      const since = this.#ages.has(index++) ? this.#since(bytes, cell, created) : undefined;
      if (since === undefined) continue;
      parts.push(bytes.subarray(from, cell.start), Buffer.from(`{"since":${since}}`));
      from = cell.end;
    }
    return [...parts, bytes.subarray(from, end)];
  }

  #since(bytes: Buffer, { start, end }: ByteRange, created: string): number | undefined {
    if (bytes[start] !== QUOTE) return undefined;
    return sinceOf(bytes.toString("latin1", start + 1, end - 1), this.#clock.now(), created);
  }
}

/** Where the paths of the last scan led. */
function rangesOf({ starts, ends }: PathScanner): readonly (ByteRange | undefined)[] {
  return Array.from(starts, (start, at) => {
    return start < 0 ? undefined : { start, end: ends[at] ?? start };
  });
}

function begins(bytes: Buffer, range: ByteRange | undefined, head: Buffer): boolean {
  return range !== undefined && bytes.subarray(range.start, range.start + head.length).equals(head);
}

/** The values in a list. */
function* elementsOf(bytes: Buffer, start: number, end: number): Generator<ByteRange, void> {
  let at = skipSpace(bytes, start + 1, end);
  while (at < end && bytes[at] !== CLOSE_BRACKET) {
    const past = skipValue(bytes, at, end);
    if (past < 0) return;
    yield { start: at, end: past };
    at = skipSpace(bytes, past, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1, end);
  }
}

/** The columns that hold lengths of time until now. */
function agesIn(definitions: unknown): ReadonlySet<number> {
  const columns: readonly unknown[] = Array.isArray(definitions) ? definitions : [];
  return new Set(columns.flatMap((column, at) => (isAge(column) ? [at] : [])));
}

function isAge(column: unknown): boolean {
  if (typeof column !== "object" || column === null) return false;
  return Reflect.get(column, "type") === "date" || Reflect.get(column, "name") === "Age";
}
