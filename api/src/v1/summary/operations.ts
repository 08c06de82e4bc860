/** Rancher's operations on clusters (wrangler: pkg/summary): their conditions are phases, of which the first that is True counts. */

import { goesOn, type Step } from "./draft.ts";

const phases: readonly (readonly [type: string, state: string, kind: "error" | "end" | "open"])[] =
  [
    ["Failed", "failed", "error"],
    ["Canceled", "canceled", "error"],
    ["Succeeded", "succeeded", "end"],
    ["Paused", "paused", "open"],
    ["InProgress", "in-progress", "open"],
    ["Pending", "pending", "open"],
  ];

/** The phase of an operation; one without conditions is pending. */
export const operation: Step = ({ conditions }, draft) => {
  if (conditions.length === 0) return goesOn(draft, "pending");
  for (const [type, state, kind] of phases) {
    const condition = conditions.find((each) => each.type === type && each.status === "True");
    if (condition === undefined) continue;
    draft.state = state;
    draft.error ||= kind === "error";
    draft.transitioning = kind === "open";
    draft.messages.push(condition.message);
    return;
  }
};
