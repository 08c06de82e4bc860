/** Where a list goes on: what clients are given as `continue` and send back as it is. */

import { QueryError } from "./errors.ts";

/**
 * `offset` counts rows of the order that was asked for; Steve writes it as a plain number. `after` is an id in the order of ids, which stays where it is when
 * rows before it come and go. `revision` is where the list stood.
 */
export type Cursor =
  | { readonly offset: number; readonly revision?: string | undefined }
  | { readonly after: string; readonly revision: string };

/** The text of a cursor: digits for an offset alone, else opaque. */
export function cursorText(cursor: Cursor): string {
  const { revision } = cursor;
  if ("offset" in cursor && revision === undefined) return String(cursor.offset);
  return Buffer.from(JSON.stringify({ v: version, ...cursor })).toString("base64url");
}

/** Reads what `cursorText` wrote. Throws QueryError for anything else. */
export function parseCursor(text: string, parameter = "continue"): Cursor {
  const offset = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return { offset };
  const cursor = text.length <= longest ? cursorOf(parsed(text)) : undefined;
  if (cursor === undefined) throw new QueryError(parameter, "continue is not what a list answered");
  return cursor;
}

const version = 1;
/** A namespace and a name of 253 characters each, and what is around them, in base64. */
const longest = 1024;

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
}

function cursorOf(value: unknown): Cursor | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { v, revision, offset, after } = value as Readonly<Record<string, unknown>>;
  if (v !== version || typeof revision !== "string" || !/^\d{1,20}$/.test(revision)) return;
  if (typeof after === "string" && after !== "") return { after, revision };
  const isOffset = typeof offset === "number" && Number.isSafeInteger(offset) && offset >= 0;
  return isOffset ? { offset, revision } : undefined;
}
