/** What a GlobalRole says of itself. */

import { Cluster, type GlobalRole, type GlobalRoleStatus, type MetaCondition } from "@drover/crds";
import {
  clusterConditions,
  conditionsOf,
  type Summary,
  summaryOf,
  tellFailures,
} from "@drover/platform";
import {
  type CacheAccess,
  type Clock,
  type ConditionUpdate,
  type Context,
  patchStatus,
} from "kopf-ts";

/** What else there is to tell. */
interface More {
  /** That of the conditions told unless told. */
  readonly summary?: Summary | undefined;
  /** Conditions of others, which stay. */
  readonly kept?: readonly MetaCondition[];
}

/**
 * The status that tells these conditions; the very same one when it says so already, so that lastUpdateTime moves only with something else.
 */
export function statusOf(
  { metadata, status }: Pick<GlobalRole, "metadata" | "status">,
  told: readonly ConditionUpdate[],
  clock: Clock,
  { summary = summaryOf(told), kept = [] }: More = {},
): GlobalRoleStatus {
  const { generation } = metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const updates = told.map((condition) => ({ ...condition, ...seen }));
  const conditions = conditionsOf(status?.conditions, [...updates, ...kept], clock);
  const isSaid =
    status !== undefined &&
    status.conditions === conditions &&
    status.summary === summary &&
    status.observedGeneration === generation;
  if (isSaid) return status;
  const lastUpdateTime = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
  return { ...seen, lastUpdateTime, summary, conditions };
}

/** Writes the status where it says something new, beside what clusters say of themselves, and tells what fails now, and did not or otherwise before, as an Event. */
export async function report(
  role: GlobalRole,
  told: readonly ConditionUpdate[],
  { cache, client, clock, events }: Context,
  summary?: Summary,
): Promise<void> {
  const kept = clusterConditions(role.status?.conditions, clustersIn(cache));
  const status = statusOf(role, told, clock, { summary, kept });
  if (status === role.status) return;
  await patchStatus(client, role, status);
  tellFailures(events, role.status?.conditions, told);
}

/** Whether there is a cluster of a name. */
export function clustersIn(cache: CacheAccess): (cluster: string) => boolean {
  return (name) => cache(Cluster, { metadataOnly: true }).has(name);
}
