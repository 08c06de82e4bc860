/** From the moments of changes and of what observers were told to delays. Pure. */

import { percentiles } from "./latencies.ts";

/** A change: the revision it made, and when the writer had the answer, in milliseconds of the machine's monotonic clock. */
export type Change = readonly [revision: number, answered: number];

/** What one observer was told, in the order it came: the revision, and when, by the same clock. */
export type Arrival = readonly [revision: number, at: number];

/** Milliseconds from the answer to a write until observers knew; below 0 for what overtook the answer. */
export interface Delays {
  /** Of all observers of all changes. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly first_p95: number;
  readonly last_p95: number;
  /** From the first to the last observer of the same change. */
  readonly spread_p95: number;
  /** Changes that some observer was never told, counted per observer. */
  readonly missed: number;
}

/**
 * What it takes to count as told: that very revision, or, for notices that may stand for several changes, that one or any later. Arrivals' revisions
 * do not fall.
 */
export type Match = "exact" | "later";

/** Delays of changes, which are in the order of their revisions. */
export function delays(
  changes: readonly Change[],
  observers: readonly (readonly Arrival[])[],
  match: Match,
): Delays {
  const seen = observers.map((arrivals) => delaysOf(changes, arrivals, match));
  const perChange = changes.map((_, index) =>
    seen.flatMap((delaysOfOne) => delaysOfOne[index] ?? []),
  );
  const told = perChange.filter(({ length }) => length > 0);
  const all = perChange.flat();
  const first = told.map((each) => Math.min(...each));
  const last = told.map((each) => Math.max(...each));
  const { p50, p95, p99 } = percentiles(all);
  return {
    ...{ p50, p95, p99 },
    first_p95: percentiles(first).p95,
    last_p95: percentiles(last).p95,
    spread_p95: percentiles(last.map((time, index) => time - (first[index] ?? 0))).p95,
    missed: changes.length * observers.length - all.length,
  };
}

/** Of one observer, by change; undefined for what it was not told. */
function delaysOf(
  changes: readonly Change[],
  arrivals: readonly Arrival[],
  match: Match,
): readonly (number | undefined)[] {
  let next = 0;
  return changes.map(([revision, answered]) => {
    while ((arrivals[next]?.[0] ?? Number.POSITIVE_INFINITY) < revision) next++;
    const arrival = arrivals[next];
    if (arrival === undefined || (match === "exact" && arrival[0] !== revision)) return undefined;
    return arrival[1] - answered;
  });
}
