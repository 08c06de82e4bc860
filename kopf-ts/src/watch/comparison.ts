/** What samples of a server's state say about what it told before. Pure but for asking. */

import type { LastTold, Position } from "./position.ts";
import { compareResourceVersions } from "./scan.ts";

/** What the server answered: as of when, and the one object that was asked for, if it came. */
export interface Sample {
  readonly resourceVersion: string;
  readonly found: Pick<LastTold, "uid" | "resourceVersion"> | undefined;
  /** What did not come is not there; false of an answer that has other objects, or goes on. */
  readonly isWhole: boolean;
}

/** How far a watch was told, and the object that was told last. */
export type ToldSoFar = Pick<Position, "resourceVersion" | "last">;

/** What samples say together. */
export type Comparison = "holds" | "lost" | "unknown";

/**
 * Asks for samples (the newest one, or that at a revision) until they say whether the server has what it told. `lost` is never said of a server that has; `holds`
 * also of one where the same was told at the same revision again, or where only other objects differ.
 */
export async function compare(
  { resourceVersion, last }: ToldSoFar,
  sampleAt: (revision?: string) => Promise<Sample>,
): Promise<Comparison> {
  const newest = compareNewest({ resourceVersion, last }, await sampleAt());
  if (newest !== "changed") return newest;
  if (last === undefined) return "unknown";
  for (const at of new Set([resourceVersion, ...(last.deleted ? [last.resourceVersion] : [])])) {
    const then = compareThen(last, at, await sampleAt(at));
    if (then !== "holds" || !last.deleted) return then;
  }
  const before = String(BigInt(last.resourceVersion) - 1n);
  return compareBefore(last, before, await sampleAt(before));
}

/** The newest state: nothing in it is older than what was told unless the server went back, and nothing untold was there by then. `changed`: earlier states tell. */
export function compareNewest(
  { resourceVersion, last }: ToldSoFar,
  { resourceVersion: newest, found, isWhole }: Sample,
): Comparison | "changed" {
  if (![newest, resourceVersion, ...versionsOf(last), ...versionsOf(found)].every(isRevision))
    return "unknown";
  if (isOlder(newest, resourceVersion)) return "lost";
  const nothingLeft = last === undefined ? "holds" : "changed";
  if (found === undefined) return isWhole ? nothingLeft : "unknown";
  if (last?.deleted === false && isAsTold(found, last)) return "holds";
  if (!isOlder(resourceVersion, found.resourceVersion)) return "lost";
  return "changed";
}

/** The state at a revision `at`, from that of the last object up to where the watch came: it was as it was told, or gone. */
export function compareThen(
  last: LastTold,
  at: string,
  { resourceVersion, found, isWhole }: Sample,
): Comparison {
  if (resourceVersion !== at || (found === undefined && !isWhole)) return "unknown";
  const isSame = found !== undefined && isAsTold(found, last);
  if (!last.deleted) return isSame ? "holds" : "lost";
  if (isSame) return "unknown"; // deletions of this server bear the object's own version
  return found === undefined ? "holds" : "lost";
}

/** The state at revision `before`, just before a deletion: the object was there. */
export function compareBefore(
  last: LastTold,
  before: string,
  { resourceVersion, found, isWhole }: Sample,
): Comparison {
  if (resourceVersion !== before || (found === undefined && !isWhole)) return "unknown";
  return found?.uid === last.uid ? "holds" : "lost";
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
