/** When a session was last used by a person (rancher: pkg/ext/stores/useractivity). */

import { isExpired, isIdle } from "./judge.ts";
import type { StoredToken } from "./stored.ts";

/** Why activity is not recorded; callers answer 403. */
export type ActivityRefusal = "foreign" | "not-a-session" | "disabled" | "expired" | "idle";

/** Somebody says to be active. */
export interface Activity {
  /** Whoever says so; only the user of a session may. */
  readonly userId: string;
  /** When, in milliseconds since the epoch; now unless told. */
  readonly seenAt?: number | undefined;
  readonly now: number;
  /** Milliseconds; 0 or undefined for ever. */
  readonly idleTtl: number | undefined;
}

/** What is to be done: `seenAt` is written if it is there. */
export type ActivityOutcome =
  | { readonly refused: ActivityRefusal }
  | { readonly refused?: undefined; readonly seenAt?: number };

/**
 * What an activity means for a session. It never goes back: a time in the future or before the stored one changes nothing. A session that is over is
 * not revived. Times are whole seconds.
 */
export function activityOutcome(token: StoredToken, activity: Activity): ActivityOutcome {
  const refused = activityRefusal(token, activity);
  if (refused !== undefined) return { refused };
  const { now, seenAt = now } = activity;
  const wanted = Math.floor(seenAt / 1000) * 1000;
  return seenAt > now || wanted <= (token.lastActivitySeen ?? 0) ? {} : { seenAt: wanted };
}

/** When the session ends unless there is more activity: its own end, or that of its idleness. Undefined for neither. */
export function sessionEnd(
  { expiry, lastActivitySeen }: StoredToken,
  idleTtl: number | undefined,
): number | undefined {
  if (lastActivitySeen === undefined || !idleTtl || idleTtl < 0) return expiry;
  return Math.min(expiry ?? Number.POSITIVE_INFINITY, lastActivitySeen + idleTtl);
}

function activityRefusal(
  token: StoredToken,
  { userId, now, idleTtl }: Activity,
): ActivityRefusal | undefined {
  if (token.userId !== userId) return "foreign";
  if (token.derived) return "not-a-session";
  if (!token.enabled) return "disabled";
  if (isExpired(token, now)) return "expired";
  return isIdle(token, now, idleTtl) ? "idle" : undefined;
}
