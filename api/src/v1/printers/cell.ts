/** What stands in a cell of a table. */

import { textAt } from "../tree.ts";
import { humanDuration, unitOf } from "./human.ts";

/** Shown as the time since then, which goes on: milliseconds since the Unix epoch. */
export interface Since {
  readonly since: number;
}

/** How often containers of a Pod were started again, and when the last time was. */
export interface Restarts {
  readonly restarts: number;
  readonly since: number;
}

/** Texts, numbers, truths and the empty cell (null) stay as they are; the others are written anew for every answer. */
export type Cell = Plain | Since | Restarts;

/** Integers that a double would round are bigints, which JSON.stringify does not take. */
type Plain = string | number | bigint | boolean | null;

/** What is shown of a cell at a time, in milliseconds since the Unix epoch. */
export function shown(cell: Cell, now: number): Plain {
  if (typeof cell !== "object" || cell === null) return cell;
  const age = humanDuration(now - cell.since);
  return "restarts" in cell ? `${cell.restarts} (${age} ago)` : age;
}

/** Milliseconds from a time on in which a cell is shown alike: more than 0, endless for what does not change. */
export function unchangedFor(cell: Cell, now: number): number {
  if (typeof cell !== "object" || cell === null) return Number.POSITIVE_INFINITY;
  const length = now - cell.since;
  const unit = unitOf(length);
  return (Math.floor(length / unit) + 1) * unit - length;
}

/** What is shown of a cell at some time, within bytes. */
export interface ShownCell {
  readonly cell: Cell;
  readonly at: number;
  /** In bytes. */
  readonly length: number;
}

/** The time since the date at a path. */
export function sinceAt(object: unknown, ...keys: readonly string[]): Cell {
  return since(textAt(object, ...keys));
}

/** The time since a date; `<unknown>` where there is none. */
export function since(date: string, otherwise = "<unknown>"): Cell {
  const time = Date.parse(date);
  return Number.isNaN(time) ? otherwise : { since: time };
}

/** How old an object is. */
export function age(object: unknown): Cell {
  return sinceAt(object, "metadata", "creationTimestamp");
}
