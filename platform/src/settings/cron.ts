/** When settings of kind cron are due. */

import { Cron } from "croner";
import { parseDuration } from "kopf-ts";
import { complaintOf } from "./value.ts";

/** Nothing is due more often. */
const second = 1_000;
const every = "@every ";

/**
 * The first time after `after` that the expression names, in UTC; both in milliseconds since the epoch. Undefined for an empty expression, for one that a
 * setting does not take, and for one that names no date at all (February 30).
 */
export function nextCronTime(expression: string, after: number): number | undefined {
  if (expression === "" || complaintOf(expression, { type: "cron" }) !== undefined)
    return undefined;
  if (expression.startsWith(every)) {
    return after + Math.max(second, parseDuration(expression.slice(every.length)) ?? 0);
  }
  // A number before a step begins a range, as upstream's parser has it (robfig/cron).
  const cron = new Cron(expression, { timezone: "UTC", mode: "5-part", sloppyRanges: true });
  return cron.nextRun(new Date(after))?.getTime();
}
