/** An object's bytes as they go into answers: taken apart where something else comes in. */

import { flatText } from "../flat-text.ts";
import { isSpace, type Range, type Seam, seamsOf } from "./seams.ts";

const [comma, openBrace] = [0x2c, 0x7b];

/** What is put into each condition: members, without a comma at either end. */
export type ConditionMembers = (index: number) => string;

/** What stands for a range of an object's bytes; undefined for what is made for each answer, behind the members of `metadata`. */
interface Edit extends Range {
  readonly text: string | undefined;
}

/** How the bytes of an object become those of an item. Holds positions, not the bytes: with the same bytes it can be used again. */
export interface Splice {
  /** Behind the opening brace. */
  readonly start: number;
  /** In their order, apart from each other. */
  readonly edits: readonly Edit[];
  /** Whether `metadata` has no members of its own. */
  readonly isFirst: boolean;
}

/** What is left out or put in beside what every item has. */
export interface SpliceOptions {
  readonly conditions: ConditionMembers;
  /** Leaves metadata.managedFields out. */
  readonly withoutManagedFields?: boolean;
  /** Leaves metadata.fields out. */
  readonly withoutFields?: boolean;
  /** Leaves data.release out. */
  readonly withoutRelease?: boolean;
}

/**
 * Plans an item: top-level keys `id`, `type`, `links` and `actions` begin with `_`, conditions have their members, and there is a place for ours of `metadata`. Numbers,
 * escapes, spaces and the order of keys stay as they are. Throws MalformedObject, also for an object without `metadata`, which no API server sends.
 */
export function spliceOf(bytes: Buffer, options: SpliceOptions): Splice {
  const { start, taken, metadata, managedFields, fields, release, conditions } = seamsOf(bytes);
  if (metadata === undefined) throw new Error("an object without metadata");
  const dropped = options.withoutManagedFields === true ? managedFields : undefined;
  const edits: readonly Edit[] = [
    ...taken.map((at) => insert(at, "_")),
    ...conditions.map((seam, index) => insert(seam.at, behind(seam, options.conditions(index)))),
    ...without(bytes, dropped),
    ...without(bytes, options.withoutFields === true ? fields : undefined),
    ...without(bytes, options.withoutRelease === true ? release : undefined),
    { from: metadata.at, to: metadata.at, text: undefined },
  ];
  const isFirst = metadata.isEmpty || (dropped !== undefined && isAll(bytes, dropped, metadata));
  return { start, isFirst, edits: edits.toSorted((a, b) => a.from - b.from) };
}

/** The parts of an item behind its opening brace; `members` are ours of `metadata`, with a comma before them where `isFirst` is false. */
export function spliced(
  bytes: Buffer,
  { start, edits }: Splice,
  members: readonly Uint8Array[],
): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let last = start;
  for (const { from, to, text } of edits) {
    parts.push(bytes.subarray(last, from));
    if (text === undefined) parts.push(...members);
    else if (text !== "") parts.push(Buffer.from(text));
    last = to;
  }
  parts.push(bytes.subarray(last));
  return parts;
}

function without(bytes: Buffer, range: Range | undefined): readonly Edit[] {
  return range === undefined ? [] : [{ ...withComma(bytes, range), text: "" }];
}

function insert(at: number, text: string): Edit {
  return { from: at, to: at, text };
}

function behind({ isEmpty }: Seam, members: string): string {
  return isEmpty || members === "" ? members : flatText(",", members);
}

/** A member and the comma that goes with it. */
function withComma(bytes: Buffer, { from, to }: Range): Range {
  const before = passSpace(bytes, from - 1, -1);
  if (bytes[before] === comma) return { from: before, to };
  const after = passSpace(bytes, to, 1);
  return { from, to: bytes[after] === comma ? after + 1 : to };
}

/** Whether nothing is left of `metadata` without a range. */
function isAll(bytes: Buffer, { from, to }: Range, metadata: Seam): boolean {
  const before = passSpace(bytes, from - 1, -1);
  return bytes[before] === openBrace && passSpace(bytes, to, 1) === metadata.at;
}

function passSpace(bytes: Buffer, from: number, step: 1 | -1): number {
  let at = from;
  while (isSpace(bytes[at])) at += step;
  return at;
}
