/** What retention does to a user. */

import type { User, UserAttribute } from "@drover/crds";
import { type RetentionRules, retentionTimes } from "@drover/platform";

/** What becomes of an inactive user. */
export type Action = "disable" | "delete";

/** What is due for the user at `now` (milliseconds since the epoch); undefined for nothing. Deleting comes before disabling. */
export function actionFor(
  user: User,
  attribute: UserAttribute | undefined,
  rules: RetentionRules,
  now: number,
): Action | undefined {
  if (user.metadata.deletionTimestamp !== undefined) return undefined;
  const { disableAt, deleteAt } = retentionTimes(user, attribute, rules);
  if (deleteAt !== undefined && now > deleteAt) return "delete";
  if (disableAt !== undefined && now > disableAt && user.enabled !== false) return "disable";
  return undefined;
}
