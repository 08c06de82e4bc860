import type { UserAttribute } from "@drover/crds";
import { durationProblem, timeProblem } from "../times.ts";
import type { Problem } from "../verdicts.ts";

/** What is wrong with what decides a user's retention; fields that stay as they were are not judged. */
export function attributeProblem(after: UserAttribute, before?: UserAttribute): Problem {
  const changed = (field: "lastLogin" | "disableAfter" | "deleteAfter"): string | undefined =>
    after[field] === before?.[field] ? undefined : after[field];
  return (
    timeProblem("lastLogin", changed("lastLogin")) ??
    durationProblem("disableAfter", changed("disableAfter")) ??
    durationProblem("deleteAfter", changed("deleteAfter"))
  );
}
