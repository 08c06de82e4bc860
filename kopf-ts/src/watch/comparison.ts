/** What samples of a server's state say about what it told before. Pure. */

import type { LastTold } from "./position.ts";
import { compareResourceVersions } from "./scan.ts";

/** How far a watch was told, and the last object. */
export interface ToldSoFar {
  readonly resourceVersion: string;
  /** Undefined where nothing was there. */
  readonly last: LastTold | undefined;
  /** The watch sees what its selectors let through; what leaves them is told as deleted, and goes on changing untold. */
  readonly selects: boolean;
}

/** What the server answered: as of when, and the one object that was asked for, if it came. */
export interface Sample {
  readonly resourceVersion: string;
  readonly found: Pick<LastTold, "uid" | "resourceVersion"> | undefined;
  /** What did not come is not there; false of an answer that has other objects, or goes on. */
  readonly isWhole: boolean;
}

/** `changed`: the state at an earlier time tells. */
export type Comparison = "holds" | "lost" | "unknown" | "changed";

/** The newest state: nothing in it is older than what was told unless the server went back. */
export function compareNewest(told: ToldSoFar, sample: Sample): Comparison {
  const { resourceVersion, last } = told;
  const { resourceVersion: newest, found, isWhole } = sample;
  if (![newest, resourceVersion, ...versionsOf(last), ...versionsOf(found)].every(isRevision))
    return "unknown";
  if (isOlder(newest, resourceVersion)) return "lost";
  if (found === undefined) return missing(last, isWhole);
  const isLater = isOlder(resourceVersion, found.resourceVersion);
  if (last === undefined) return isLater ? "unknown" : "lost"; // nothing was there, so what is there now must be newer
  if (isAsTold(found, last) && (!last.deleted || hasLeft(told))) return "holds";
  if (!isOlder(last.resourceVersion, found.resourceVersion)) return "lost";
  return isLater || hasLeft(told) ? "changed" : "lost"; // what changed earlier would have been told
}

function missing(last: LastTold | undefined, isWhole: boolean): Comparison {
  if (!isWhole) return "unknown";
  return last === undefined ? "holds" : "changed";
}

/** The state as far as was told: the last object is as it was told. For one that was told as deleted, the state before that has to be seen as well. */
export function compareThen(
  told: ToldSoFar & { readonly last: LastTold },
  { resourceVersion, found, isWhole }: Sample,
): Comparison {
  const { last } = told;
  if (resourceVersion !== told.resourceVersion || (found === undefined && !isWhole))
    return "unknown";
  if (!last.deleted) return found !== undefined && isAsTold(found, last) ? "holds" : "lost";
  if (found === undefined) return "changed";
  if (isAsTold(found, last) && !hasLeft(told)) return "unknown"; // deletions of this server bear the object's own version
  return hasLeft(told) && !isOlder(found.resourceVersion, last.resourceVersion)
    ? "changed"
    : "lost";
}

/** The state just before a deletion, at revision `before`: what was deleted must have been there. */
export function compareBefore(
  before: string,
  { resourceVersion, found, isWhole }: Sample,
): Comparison {
  if (resourceVersion !== before || (found === undefined && !isWhole)) return "unknown";
  return found === undefined ? "lost" : "holds";
}

/** It may be there all the same, and go on changing. */
function hasLeft({ last, selects }: ToldSoFar): boolean {
  return last?.deleted === true && selects;
}

function isAsTold(found: NonNullable<Sample["found"]>, last: LastTold): boolean {
  return found.resourceVersion === last.resourceVersion && found.uid === last.uid;
}

function versionsOf(object: Sample["found"]): readonly string[] {
  return object === undefined ? [] : [object.resourceVersion];
}

function isRevision(text: string): boolean {
  return /^[1-9]\d*$/.test(text);
}

function isOlder(a: string, b: string): boolean {
  return compareResourceVersions(a, b) < 0;
}
