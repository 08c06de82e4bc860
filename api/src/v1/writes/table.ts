/** Takes the one object out of a Table, as the bytes that the API server sent. */

import { parseExact } from "../json.ts";

/** An object and the cells of its row. */
export interface RowOfTable {
  readonly object: Buffer;
  /** With their long numbers: to be written by `writeExact`. */
  readonly cells: readonly unknown[] | undefined;
}

/** The object in an answer that is a Table with one row, else the answer itself: aggregated API servers need not know tables. */
export function rowIn(body: Buffer): RowOfTable {
  const plain = { object: body, cells: undefined };
  if (!beginsAsTable(body)) return plain;
  const cells = spanOf(body, ["rows", "0", "cells"]);
  const object = spanOf(body, ["rows", "0", "object"]);
  if (object === undefined || body[object.start] !== openBrace) return plain;
  return {
    object: body.subarray(object.start, object.end),
    cells: cells && listIn(body.toString("utf8", cells.start, cells.end)),
  };
}

/** API servers write kind and apiVersion first. */
function beginsAsTable(body: Buffer): boolean {
  const head = body.toString("latin1", 0, 200);
  return /"kind"\s*:\s*"Table"/.test(head) && /"apiVersion"\s*:\s*"meta\.k8s\.io\//.test(head);
}

function listIn(text: string): readonly unknown[] | undefined {
  const value = parseExact(text);
  return Array.isArray(value) ? value : undefined;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];

/** Where the value at a path is in well-formed JSON; undefined where the path leads nowhere. */
function spanOf(bytes: Buffer, path: readonly string[]): Span | undefined {
  let start = spaceFrom(bytes, 0);
  for (const key of path) {
    const found = memberOf(bytes, start, key);
    if (found === undefined) return undefined;
    start = found;
  }
  return { start, end: valueEnd(bytes, start) };
}

/** Where the value of a member of an object, or an item of a list, begins. */
function memberOf(bytes: Buffer, start: number, key: string): number | undefined {
  const isList = bytes[start] === openBracket;
  if (!isList && bytes[start] !== openBrace) return undefined;
  let at = spaceFrom(bytes, start + 1);
  for (let index = 0; at < bytes.length && !closes(bytes[at]); index++) {
    const keyEnd = isList ? at : valueEnd(bytes, at);
    const name = isList ? String(index) : bytes.toString("utf8", at + 1, keyEnd - 1);
    at = isList ? at : past(bytes, keyEnd, colon);
    if (name === key) return at;
    at = past(bytes, valueEnd(bytes, at), comma);
  }
  return undefined;
}

function valueEnd(bytes: Buffer, start: number): number {
  if (bytes[start] === quote) return textEnd(bytes, start);
  if (opens(bytes[start])) return nestEnd(bytes, start);
  let at = start;
  while (at < bytes.length && !closes(bytes[at]) && bytes[at] !== comma) at++;
  return at;
}

function nestEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] === quote) at = textEnd(bytes, at) - 1;
    else if (opens(bytes[at])) depth++;
    else if (closes(bytes[at]) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function textEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === backslash) at++;
    else if (bytes[at] === quote) return at + 1;
  }
  return bytes.length;
}

function opens(byte: number | undefined): boolean {
  return byte === openBrace || byte === openBracket;
}

function closes(byte: number | undefined): boolean {
  return byte === closeBrace || byte === closeBracket;
}

/** Behind a separator and the space around it. */
function past(bytes: Buffer, start: number, separator: number): number {
  const at = spaceFrom(bytes, start);
  return bytes[at] === separator ? spaceFrom(bytes, at + 1) : at;
}

function spaceFrom(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}
