/** How far the changes of a cache were followed. Pure. */

import { type Cache, compareResourceVersions } from "kopf-ts";

/** A resourceVersion of one of the cache's timelines. */
export interface Point {
  readonly revision: string;
  readonly timeline: number;
}

/** How far the cache is. */
export function pointOf({
  resourceVersion,
  timeline,
}: Pick<Cache, "resourceVersion" | "timeline">): Point {
  return { revision: resourceVersion, timeline };
}

/** Below 0 where the first is behind the second, above where it is further on. */
export function comparePoints(one: Point, other: Point): number {
  const timelines = one.timeline - other.timeline;
  return timelines === 0 ? compareResourceVersions(one.revision, other.revision) : timelines;
}
