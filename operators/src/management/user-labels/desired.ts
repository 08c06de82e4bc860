/** The labels that tell when an inactive user is due. */

import { labels, type User } from "@drover/crds";
import type { RetentionTimes } from "@drover/platform";

/** The labels' values by key: seconds since the epoch, null where there is to be none. */
export type RetentionLabels = Readonly<Record<string, string | null>>;

/** What a user's labels are to be. */
export function retentionLabels({
  lastLogin,
  disableAt,
  deleteAt,
}: RetentionTimes): RetentionLabels {
  return {
    [labels.lastLogin]: secondsOf(lastLogin),
    [labels.disableAfter]: secondsOf(disableAt),
    [labels.deleteAfter]: secondsOf(deleteAt),
  };
}

/** Of these labels those that the user does not have like that; undefined where there are none. */
export function labelChanges(
  { metadata }: User,
  wanted: RetentionLabels,
): RetentionLabels | undefined {
  const changes = Object.entries(wanted).filter(
    ([key, value]) => (metadata.labels?.[key] ?? null) !== value,
  );
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function secondsOf(time: number | undefined): string | null {
  return time === undefined ? null : String(Math.floor(time / 1_000));
}
