/** Fields that hold times and durations as text. */

import { isTime } from "@drover/platform";
import { parseDuration } from "kopf-ts";
import type { Problem } from "./verdicts.ts";

/** What is wrong with a time; an empty one is none. */
export function timeProblem(field: string, text: string | undefined): Problem {
  if (text === undefined || text === "" || isTime(text)) return undefined;
  return `${field} must be a time in RFC 3339, such as 2023-11-29T00:00:00Z`;
}

/** What is wrong with a Go duration; an empty one is none. */
export function durationProblem(field: string, text: string | undefined): Problem {
  if (text === undefined || text === "") return undefined;
  if ((parseDuration(text) ?? -1) >= 0) return undefined;
  return `${field} must be a duration that is not negative, such as 240h`;
}
