/** What a ClusterRoleTemplateBinding says of its cluster; what it says of the management cluster is others'. */

import type { BindingStatus, ClusterRoleTemplateBinding } from "@drover/crds";
import { conditionsOf, overall, summaryOf, tellFailures } from "@drover/platform";
import { type Clock, type ConditionUpdate, type Context, patchStatus } from "kopf-ts";

/**
 * The status that tells this, with a summary that is Completed only when the management cluster says so too; the very same one when it says so already, so that
 * lastUpdateTime moves only with something else.
 */
export function remoteStatusOf(
  { metadata, status }: Pick<ClusterRoleTemplateBinding, "metadata" | "status">,
  conditions: readonly ConditionUpdate[],
  clock: Clock,
): BindingStatus {
  const { generation } = metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const updates = conditions.map((condition) => ({ ...condition, ...seen }));
  const summaryRemote = summaryOf(conditions);
  const told: BindingStatus = {
    ...(generation !== undefined && { observedGenerationRemote: generation }),
    summary: overall([status?.summaryLocal ?? "InProgress", summaryRemote]),
    summaryRemote,
    remoteConditions: conditionsOf(status?.remoteConditions, updates, clock),
  };
  const names = Object.keys(told) as (keyof BindingStatus)[];
  if (status !== undefined && names.every((name) => status[name] === told[name])) return status;
  const lastUpdateTime = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
  return { ...status, ...told, lastUpdateTime };
}

/** Milliseconds that a new binding gets to settle before it tells what it waits for. */
const patience = 30_000;

/**
 * Milliseconds to wait before this is told; 0: tell it now. A new binding is told of once, when the management cluster has told its half of this generation and nothing
 * is pending any more, which takes a moment; what still is then, is told when the binding is as old as `patience`. Of older bindings everything is told at once.
 */
export function untilTold(
  { metadata, status }: Pick<ClusterRoleTemplateBinding, "metadata" | "status">,
  conditions: readonly Pick<ConditionUpdate, "status">[],
  clock: Pick<Clock, "now">,
): number {
  const isSeen = status?.observedGenerationLocal === metadata.generation;
  const isPending = conditions.some((condition) => condition.status === "Unknown");
  if (isSeen && !isPending) return 0;
  const age = clock.now() - Date.parse(metadata.creationTimestamp ?? "");
  return Math.abs(age) < patience ? patience - Math.max(age, 0) : 0; // a time far ahead is of another clock, and says nothing
}

/** Writes the status where it says something new, and tells what fails now, and did not or otherwise before, as an Event. Answers the binding as it then is. */
export async function report(
  binding: ClusterRoleTemplateBinding,
  told: readonly ConditionUpdate[],
  { hub, clock, events }: Context,
): Promise<ClusterRoleTemplateBinding> {
  const status = remoteStatusOf(binding, told, clock);
  if (status === binding.status) return binding;
  const after = await patchStatus(hub.client, binding, status);
  tellFailures(events, binding.status?.remoteConditions, told);
  return after;
}
