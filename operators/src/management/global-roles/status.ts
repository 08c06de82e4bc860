/** What a GlobalRole says of itself. */

import type { GlobalRole, GlobalRoleStatus } from "@drover/crds";
import { conditionsOf, type Summary, summaryOf, tellFailures } from "@drover/platform";
import { type Clock, type ConditionUpdate, type Context, patchStatus } from "kopf-ts";

/**
 * The status that tells these conditions; the very same one when it says so already, so that lastUpdateTime moves only with something else. `summary`
 * is theirs unless told.
 */
export function statusOf(
  { metadata, status }: Pick<GlobalRole, "metadata" | "status">,
  told: readonly ConditionUpdate[],
  clock: Clock,
  summary: Summary = summaryOf(told),
): GlobalRoleStatus {
  const { generation } = metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const updates = told.map((condition) => ({ ...condition, ...seen }));
  const conditions = conditionsOf(status?.conditions, updates, clock);
  const isSaid =
    status !== undefined &&
    status.conditions === conditions &&
    status.summary === summary &&
    status.observedGeneration === generation;
  if (isSaid) return status;
  const lastUpdateTime = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
  return { ...seen, lastUpdateTime, summary, conditions };
}

/** Writes the status where it says something new, and tells what fails now, and did not or otherwise before, as an Event. */
export async function report(
  role: GlobalRole,
  told: readonly ConditionUpdate[],
  { client, clock, events }: Context,
  summary?: Summary,
): Promise<void> {
  const status = statusOf(role, told, clock, summary);
  if (status === role.status) return;
  await patchStatus(client, role, status);
  tellFailures(events, role.status?.conditions, told);
}
