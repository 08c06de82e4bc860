/** Conditions in both shapes: metav1's, and Norman's older one with lastUpdateTime (Cluster, Project and User have that). */

import type { Clock } from "../base/index.ts";
import type { Condition } from "../kube/index.ts";

/** What a controller says about one condition. */
export interface NormanConditionUpdate {
  readonly type: string;
  readonly status: Condition["status"];
  /** A word in CamelCase. */
  readonly reason?: string;
  /** A sentence for a person; nothing that changes with every call, or every call becomes a write. */
  readonly message?: string;
  /** metadata.generation of the object that was looked at; only where the kind has a status subresource. */
  readonly observedGeneration?: number;
}

/** As metav1 has it, where a reason is required. */
export interface ConditionUpdate extends NormanConditionUpdate {
  readonly reason: string;
}

/**
 * The list with one condition set, and the very same list when it says so already. lastTransitionTime moves only when the status flips.
 * The order of the list is kept; a new type goes to its end.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  update: ConditionUpdate,
  clock: Clock,
): readonly Condition[] {
  return replace(conditions, update.type, (old) => {
    const said = { message: "", ...update };
    if (old !== undefined && says(old, said)) return old;
    return { ...said, lastTransitionTime: transition(old, said, clock) };
  });
}

/** As setCondition, in Norman's shape: lastUpdateTime moves whenever status, reason or message change (norman: condition/condition.go). */
export function setNormanCondition(
  conditions: readonly Condition[] | undefined,
  update: NormanConditionUpdate,
  clock: Clock,
): readonly Condition[] {
  return replace(conditions, update.type, (old) => {
    if (old !== undefined && says(old, update)) return old;
    const lastTransitionTime = transition(old, update, clock);
    return { ...withoutEmpty(update), lastUpdateTime: toTime(clock.now()), lastTransitionTime };
  });
}

/** The condition of that type, if there is one. */
export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** A time as metav1.Time prints it: RFC 3339 in UTC, whole seconds. */
export function toTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function replace(
  conditions: readonly Condition[] | undefined,
  type: string,
  next: (old: Condition | undefined) => Condition,
): readonly Condition[] {
  const old = findCondition(conditions, type);
  const condition = next(old);
  if (conditions === undefined || old === undefined) return [...(conditions ?? []), condition];
  return condition === old ? conditions : conditions.map((one) => (one === old ? condition : one));
}

function says(old: Condition, update: NormanConditionUpdate): boolean {
  return (
    old.status === update.status &&
    (old.reason ?? "") === (update.reason ?? "") &&
    (old.message ?? "") === (update.message ?? "") &&
    old.observedGeneration === update.observedGeneration
  );
}

function transition(
  old: Condition | undefined,
  update: NormanConditionUpdate,
  clock: Clock,
): string {
  const since = old?.status === update.status ? old.lastTransitionTime : undefined;
  return since ?? toTime(clock.now());
}

function withoutEmpty({ reason, message, ...rest }: NormanConditionUpdate): Condition {
  return { ...rest, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
}
