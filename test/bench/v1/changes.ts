/** Changes of Pods that come at a rate: from a writer, or from what was recorded. */

import type { SubjectEvent } from "../process.ts";
import type { Change } from "./delays.ts";

/** What was asked for: changes per second, and for how many milliseconds. */
export interface Pace {
  readonly perSecond: number;
  readonly time: number;
}

/** What was done. */
export interface Applied {
  /** In the order of their revisions. */
  readonly changes: readonly Change[];
  /** The rate that was reached. */
  readonly perSecond: number;
}

/** Where changes come from. */
export interface Changes {
  /** Resolves once all have come; rejects when none could be made. */
  apply(pace: Pace): Promise<Applied>;
}

/** What a process tells of changes it made. */
export function appliedBy({ changes, perSecond }: SubjectEvent): Applied {
  if (!Array.isArray(changes) || changes.length === 0) throw new Error("nothing was changed");
  return { changes, perSecond: Number(perSecond) };
}

/** The revision that the last change made. */
export function lastRevision({ changes }: Applied): number {
  return changes.at(-1)?.[0] ?? 0;
}
