/** Statuses that are a list of conditions and a word that sums them up (rancher: pkg/controllers/status). */

import type { MetaCondition } from "@drover/crds";
import {
  type Clock,
  type ConditionUpdate,
  findCondition,
  type ObjectEvents,
  setCondition,
} from "kopf-ts";

/** What a status comes to, in Rancher's words. */
export type Summary = "Completed" | "Error" | "InProgress" | "Terminating";

/** Error as soon as one condition is False, InProgress while one is Unknown. */
export function summaryOf(conditions: readonly Pick<MetaCondition, "status">[]): Summary {
  if (conditions.some(({ status }) => status === "False")) return "Error";
  return conditions.some(({ status }) => status === "Unknown") ? "InProgress" : "Completed";
}

/** Several summaries in one: the first of Error, Terminating and InProgress that is among them. */
export function overall(summaries: readonly (string | undefined)[]): Summary {
  const worst = (["Error", "Terminating", "InProgress"] as const).find((each) =>
    summaries.includes(each),
  );
  return worst ?? "Completed";
}

/**
 * Exactly the conditions that are told, and the very same list when it says so already. Those of other types are dropped: the list must belong to
 * the caller. lastTransitionTime moves only when the status flips.
 */
export function conditionsOf(
  old: readonly MetaCondition[] | undefined,
  told: readonly ConditionUpdate[],
  clock: Clock,
): readonly MetaCondition[] {
  const types = told.map(({ type }) => type);
  const known = old?.filter(({ type }) => types.includes(type)) ?? [];
  const start = known.length === old?.length ? old : known;
  const list = told.reduce<ReturnType<typeof setCondition>>(
    (conditions, update) => setCondition(conditions, update, clock),
    start,
  );
  return list as readonly MetaCondition[]; // setCondition fills in what metav1 requires
}

/** A condition that holds; its reason repeats its type, as Rancher's do. */
export function holds(type: string): ConditionUpdate {
  return { type, status: "True", reason: type, message: "" };
}

/** An Event for each condition that fails now, and did not or otherwise before. */
export function tellFailures(
  events: Pick<ObjectEvents, "event">,
  before: readonly MetaCondition[] | undefined,
  told: readonly ConditionUpdate[],
): void {
  for (const { type, status, reason, message = "" } of told) {
    if (status !== "False" || findCondition(before, type)?.message === message) continue;
    events.event({ type: "Warning", reason, action: "Reconcile", message });
  }
}
