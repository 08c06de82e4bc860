/** What a binding tells while its cluster has told nothing of it. Pure. */

import type { Cluster, ClusterRoleTemplateBinding } from "@drover/crds";
import { isTrue } from "@drover/platform";
import { type ConditionUpdate, findCondition } from "kopf-ts";
import { conditions, reasons } from "./names.ts";

/** Milliseconds after which it is looked again whether a cluster that tells nothing is still connected. */
export const patience = 60_000;

/** Whether the cluster's controller has told how it went with this generation. */
export function isToldByCluster({
  metadata,
  status,
}: Pick<ClusterRoleTemplateBinding, "metadata" | "status">): boolean {
  return status?.observedGenerationRemote === metadata.generation;
}

/**
 * That it waits for its cluster, where that is not connected and has not told anything of this generation. Once said it stays until the cluster tells, however often that
 * comes and goes; of a binding of which the cluster has told, it is never said: a cluster that comes and goes costs no write per binding.
 */
export function waiting(
  binding: Pick<ClusterRoleTemplateBinding, "metadata" | "status">,
  cluster: Cluster,
): ConditionUpdate | undefined {
  const type = conditions.cluster;
  if (isToldByCluster(binding)) return undefined;
  const isSaid = findCondition(binding.status?.localConditions, type) !== undefined;
  if (isTrue(cluster, "Connected") && !isSaid) return undefined;
  const { name } = cluster.metadata;
  const message = `nothing is granted in cluster "${name}" yet: that is done once it is connected; its condition Connected tells what is in the way`;
  return { type, status: "Unknown", reason: reasons.waitsForCluster, message };
}
