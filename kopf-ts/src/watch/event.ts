/** Takes a line of a watch apart: `{"type":"ADDED","object":{...}}`. */

import { parseJson } from "../kube/index.ts";
import { Members } from "./json/members.ts";
import { CLOSE_BRACE, OPEN_BRACE, QUOTE, skipSpace } from "./json/skip.ts";
import { bytesEqual, decodeString } from "./json/text.ts";
import { type ScannedObject, scanObject } from "./scan.ts";
import type { ChangeType } from "./sink.ts";
import type { TableRows } from "./table.ts";

/** An event of a watch. `object` is undefined for one that no cache can hold, for example because it has no name. */
export type WatchEvent =
  | { readonly type: ChangeType; readonly object: ScannedObject | undefined }
  | { readonly type: "BOOKMARK"; readonly value: unknown }
  | { readonly type: "ERROR"; readonly value: unknown };

interface Range {
  readonly start: number;
  readonly end: number;
}

/** What an event's frame says: its type and where its object lies. */
interface Frame extends Range {
  readonly type: string;
}

const TYPE = Buffer.from("type");
const OBJECT = Buffer.from("object");
const PREFIX = Buffer.from('{"type":"');
const INFIX = Buffer.from('","object":');
const CHANGES = (["ADDED", "MODIFIED", "DELETED"] as const).map((type) => ({
  type,
  head: Buffer.concat([PREFIX, Buffer.from(type), INFIX]),
}));

/**
 * The event in the line at [start, end). Throws SyntaxError for what is no event, which every line that was cut off is. Kubernetes
 * writes type, object and nothing else; any other spelling is understood too, more slowly. With `rows` the event may hold a table of one row.
 */
export function parseEvent(
  bytes: Buffer,
  start: number,
  end: number,
  rows?: TableRows,
): WatchEvent {
  const usual = rows === undefined ? usualChange(bytes, start, end) : undefined;
  return usual ?? anyEvent(bytes, start, end, rows);
}

function usualChange(bytes: Buffer, start: number, end: number): WatchEvent | undefined {
  for (const { type, head } of CHANGES) {
    const objectStart = start + head.length;
    if (objectStart >= end || !bytesEqual(bytes, start, objectStart, head)) continue;
    const object = scanObject(bytes, objectStart, end - 1);
    // Anything between the object and the last brace is for the thorough way.
    return object?.end === end - 1 && bytes[end - 1] === CLOSE_BRACE ? { type, object } : undefined;
  }
  return undefined;
}

function anyEvent(
  bytes: Buffer,
  start: number,
  end: number,
  rows: TableRows | undefined,
): WatchEvent {
  const frame = parseFrame(bytes, start, end);
  switch (frame?.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: frame.type, object: objectIn(bytes, frame, rows) };
    case "BOOKMARK":
    case "ERROR": {
      const value = rows?.valueOfEvent(bytes, frame.start, frame.end) ?? frame;
      return { type: frame.type, value: parseJson(bytes.toString("utf8", value.start, value.end)) };
    }
    default:
      throw new SyntaxError(`not a whole watch event: ${shapeOf(bytes, start, end)}`);
  }
}

function objectIn(bytes: Buffer, { start, end }: Range, rows: TableRows | undefined) {
  return rows === undefined ? scanObject(bytes, start, end) : rows.ofEvent(bytes, start, end);
}

function parseFrame(bytes: Buffer, start: number, end: number): Frame | undefined {
  const members = new Members(bytes, skipSpace(bytes, start, end), end);
  let type: Range | undefined;
  let object: Range | undefined;
  while (members.next()) {
    const value = { start: members.valueStart, end: members.skip() };
    if (members.keyIs(TYPE)) type = value;
    else if (members.keyIs(OBJECT)) object = value;
  }
  if (members.end < 0 || skipSpace(bytes, members.end, end) < end) return undefined;
  if (type === undefined || bytes[type.start] !== QUOTE) return undefined;
  if (object === undefined || bytes[object.start] !== OPEN_BRACE) return undefined;
  return { type: decodeString(bytes, type.start + 1, type.end - 1), ...object };
}

/** None of the text: objects may hold secrets, and this goes to the log. */
function shapeOf(bytes: Buffer, start: number, end: number): string {
  const isObject = bytes[start] === OPEN_BRACE;
  return `${end - start} bytes${isObject ? "" : " that are no JSON object"}`;
}
