/** An object's bytes as they go into answers: cut where something else comes in. */

import { type Seam, seamsOf } from "./seams.ts";

/** What is put into each condition: members, without a comma at either end. */
export type ConditionMembers = (index: number) => string;

/**
 * The bytes of an object without its opening brace, up to the end of `metadata` and from there on. Between them come our members of `metadata`, with a comma before
 * them where `isFirst` is false. Top-level keys `id`, `type`, `links` and `actions` begin with `_`, and conditions have their members.
 */
export interface Body {
  readonly before: Buffer;
  readonly after: Buffer;
  /** Whether `metadata` has no members of its own. */
  readonly isFirst: boolean;
}

/**
 * Cuts an object. Numbers, escapes, spaces and the order of keys stay as they are. Throws MalformedObject, also for an object without `metadata`, which no API
 * server sends.
 */
export function bodyOf(bytes: Buffer, membersOf: ConditionMembers): Body {
  const { start, taken, metadata, conditions } = seamsOf(bytes);
  if (metadata === undefined) throw new Error("an object without metadata");
  const inserts = [
    ...taken.map((at): Insert => ({ at, text: "_" })),
    ...conditions.map((seam, index) => insertAt(seam, membersOf(index))),
  ].toSorted((a, b) => a.at - b.at);
  return {
    before: withInserts(bytes, start, metadata.at, inserts),
    after: withInserts(bytes, metadata.at, bytes.length, inserts),
    isFirst: metadata.isEmpty,
  };
}

interface Insert {
  readonly at: number;
  readonly text: string;
}

function insertAt({ at, isEmpty }: Seam, members: string): Insert {
  return { at, text: isEmpty || members === "" ? members : `,${members}` };
}

/** A copy of a range with texts put in; what lies outside of it is not its own. */
function withInserts(bytes: Buffer, from: number, to: number, all: readonly Insert[]): Buffer {
  const inserts = all.filter(({ at }) => at >= from && at < to);
  const pieces: Buffer[] = [];
  let last = from;
  for (const { at, text } of inserts) {
    pieces.push(bytes.subarray(last, at), Buffer.from(text));
    last = at;
  }
  return Buffer.concat([...pieces, bytes.subarray(last, to)]);
}
