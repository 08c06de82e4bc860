/** What a GlobalRoleBinding says of the management cluster; what other clusters say of it is theirs. */

import type { BindingStatus, GlobalRoleBinding } from "@drover/crds";
import { conditionsOf, overall, type Summary, summaryOf, tellFailures } from "@drover/platform";
import { type Clock, type ConditionUpdate, type Context, patchStatus } from "kopf-ts";

/** What there is to tell. */
export interface Told {
  readonly conditions: readonly ConditionUpdate[];
  /** That of the conditions unless told. */
  readonly summary?: Summary;
  /** Whether what other clusters say counts: only an administrator's role is carried out there. */
  readonly everywhere: boolean;
}

/** The status that tells this; the very same one when it says so already, so that lastUpdateTime moves only with something else. */
export function statusOf(
  { metadata, status }: Pick<GlobalRoleBinding, "metadata" | "status">,
  { conditions, summary, everywhere }: Told,
  clock: Clock,
): BindingStatus {
  const { generation } = metadata;
  const updates = conditions.map((condition) => ({
    ...condition,
    ...(generation !== undefined && { observedGeneration: generation }),
  }));
  const localConditions = conditionsOf(status?.localConditions, updates, clock);
  const summaryLocal = summary ?? summaryOf(conditions);
  const whole = overall([summaryLocal, everywhere ? status?.summaryRemote : undefined]);
  const isSaid =
    status !== undefined &&
    status.localConditions === localConditions &&
    status.summaryLocal === summaryLocal &&
    status.summary === whole &&
    status.observedGenerationLocal === generation;
  if (isSaid) return status;
  const lastUpdateTime = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
  return {
    ...status,
    ...(generation !== undefined && { observedGenerationLocal: generation }),
    lastUpdateTime,
    summary: whole,
    summaryLocal,
    localConditions,
  };
}

/** Writes the status where it says something new, and tells what fails now, and did not or otherwise before, as an Event. */
export async function report(
  binding: GlobalRoleBinding,
  told: Told,
  { client, clock, events }: Context,
): Promise<void> {
  const status = statusOf(binding, told, clock);
  if (status === binding.status) return;
  await patchStatus(client, binding, status);
  tellFailures(events, binding.status?.localConditions, told.conditions);
}
