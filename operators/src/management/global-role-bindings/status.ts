/** What a GlobalRoleBinding says: of the management cluster, and as a sum of what clusters say of themselves. */

import {
  type BindingStatus,
  Cluster,
  type GlobalRoleBinding,
  type MetaCondition,
} from "@drover/crds";
import {
  clusterConditions,
  conditionsOf,
  overall,
  type Summary,
  summaryOf,
  sumOfClusters,
  tellFailures,
} from "@drover/platform";
import {
  type CacheAccess,
  type Clock,
  type ConditionUpdate,
  type Context,
  patchStatus,
} from "kopf-ts";
import { adminCondition } from "./names.ts";

/** What there is to tell. */
export interface Told {
  readonly conditions: readonly ConditionUpdate[];
  /** That of the conditions unless told. */
  readonly summary?: Summary;
  /** Whether it makes an administrator of every cluster, which clusters tell of and which counts. */
  readonly everywhere: boolean;
  /** What clusters say of themselves, each while something fails there. */
  readonly ofClusters?: readonly MetaCondition[];
}

/** The status that tells this; the very same one when it says so already, so that lastUpdateTime moves only with something else. */
export function statusOf(
  { metadata, status }: Pick<GlobalRoleBinding, "metadata" | "status">,
  told: Told,
  clock: Clock,
): BindingStatus {
  const { generation } = metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const updates = told.conditions.map((condition) => ({ ...condition, ...seen }));
  const summaryLocal = told.summary ?? summaryOf(told.conditions);
  const remote = remoteStatusOf(status, told, seen, clock);
  const next: BindingStatus = {
    ...(generation !== undefined && { observedGenerationLocal: generation }),
    summary: overall([summaryLocal, remote.summaryRemote]),
    summaryLocal,
    localConditions: conditionsOf(status?.localConditions, updates, clock),
    ...remote,
  };
  const names = [...Object.keys(next), ...remoteFields] as (keyof BindingStatus)[];
  if (status !== undefined && names.every((name) => status[name] === next[name])) return status;
  const lastUpdateTime = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
  return { ...next, lastUpdateTime };
}

const remoteFields = ["summaryRemote", "observedGenerationRemote", "remoteConditions"] as const;

/** What all clusters come to. Only an administrator's role is carried out in them as such. */
function remoteStatusOf(
  status: BindingStatus | undefined,
  { everywhere, ofClusters = [] }: Told,
  seen: { readonly observedGeneration?: number },
  clock: Clock,
): Pick<BindingStatus, (typeof remoteFields)[number]> {
  const sum = everywhere ? [{ ...sumOfClusters(adminCondition, ofClusters), ...seen }] : [];
  const all = conditionsOf(status?.remoteConditions, [...sum, ...ofClusters], clock);
  const { observedGeneration } = seen;
  return {
    ...(all?.length && { remoteConditions: all }),
    ...(everywhere && { summaryRemote: summaryOf(sum) }),
    ...(everywhere &&
      observedGeneration !== undefined && { observedGenerationRemote: observedGeneration }),
  };
}

/** Writes the status where it says something new, and tells what fails now, and did not or otherwise before, as an Event. */
export async function report(
  binding: GlobalRoleBinding,
  told: Told,
  { cache, client, clock, events }: Context,
): Promise<void> {
  const ofClusters = clusterConditions(binding.status?.remoteConditions, clustersIn(cache));
  const status = statusOf(binding, { ...told, ofClusters }, clock);
  if (status === binding.status) return;
  await patchStatus(client, binding, status);
  tellFailures(events, binding.status?.localConditions, told.conditions);
  const remote = told.everywhere ? [sumOfClusters(adminCondition, ofClusters)] : [];
  tellFailures(events, binding.status?.remoteConditions, remote);
}

/** Whether there is a cluster of a name. */
export function clustersIn(cache: CacheAccess): (cluster: string) => boolean {
  return (name) => cache(Cluster, { metadataOnly: true }).has(name);
}
