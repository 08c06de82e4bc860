/**
 * One status for what happens in many clusters. A cluster has a condition of its own, `<cluster>.clusters.drover.dev/<Type>`, for as long as something fails
 * there, and none while all is well: a steady fleet writes nothing, however many clusters there are. The leader sums them up under the plain type.
 */

import type { MetaCondition } from "@drover/crds";
import {
  type Clock,
  type ConditionUpdate,
  type Context,
  findCondition,
  type KubeObject,
  patchStatus,
  setCondition,
} from "kopf-ts";
import { type Problem, tell } from "../owned/index.ts";
import { holds } from "./conditions.ts";

const suffix = ".clusters.drover.dev/";

/** The type of a condition of one cluster. */
export function clusterConditionType(type: string, cluster: string): string {
  return `${cluster}${suffix}${type}`;
}

/** Which cluster a condition tells of; undefined for a plain one. */
export function clusterOfCondition(type: string): string | undefined {
  const at = type.indexOf(suffix);
  return at < 0 ? undefined : type.slice(0, at);
}

/** What a cluster says: `failure` undefined for nothing, which removes what it said before. The very same list when it says so already. */
export function tellOfCluster(
  conditions: readonly MetaCondition[] | undefined,
  { type, cluster, failure }: ClusterReport,
  clock: Clock,
): readonly MetaCondition[] | undefined {
  const own = clusterConditionType(type, cluster);
  if (failure !== undefined) {
    const update = { ...failure, type: own };
    return setCondition(conditions, update, clock) as readonly MetaCondition[]; // it fills in what metav1 requires
  }
  if (findCondition(conditions, own) === undefined) return conditions;
  return conditions?.filter((condition) => condition.type !== own);
}

/** How it went in one cluster. */
export interface ClusterReport {
  /** The plain type. */
  readonly type: string;
  readonly cluster: string;
  readonly failure: Omit<ConditionUpdate, "type"> | undefined;
}

/** The conditions of clusters that `exists` knows; those of clusters that are no more tell of nothing. */
export function clusterConditions(
  conditions: readonly MetaCondition[] | undefined,
  exists: (cluster: string) => boolean,
): readonly MetaCondition[] {
  return (conditions ?? []).filter(({ type }) => {
    const cluster = clusterOfCondition(type);
    return cluster !== undefined && exists(cluster);
  });
}

/** All clusters' conditions of one type as one: True unless one of them fails, and then it names those that do. */
export function sumOfClusters(type: string, conditions: readonly MetaCondition[]): ConditionUpdate {
  const [first, ...rest] = conditions
    .filter((condition) => condition.type.endsWith(`${suffix}${type}`))
    .map(({ type, reason, message }) => ({
      reason,
      message: `cluster ${clusterOfCondition(type)}: ${message}`,
    }));
  return first === undefined ? holds(type) : { type, status: "False", ...tell([first, ...rest]) };
}

/** Tells in the hub how it went in this cluster, where that is something new. `field` has the conditions. */
export async function reportCluster<T extends KubeObject & { readonly status?: object }>(
  object: T,
  field: "conditions" | "remoteConditions",
  { type, problems }: { readonly type: string; readonly problems: readonly Problem[] },
  { cluster, clock, hub }: Pick<Context, "cluster" | "clock" | "hub">,
): Promise<void> {
  const status = object.status as Readonly<Partial<Record<typeof field, readonly MetaCondition[]>>>;
  const [first, ...rest] = problems;
  const failure =
    first === undefined ? undefined : { status: "False" as const, ...tell([first, ...rest]) };
  const before = status?.[field];
  const after = tellOfCluster(before, { type, cluster, failure }, clock);
  if (after === before) return;
  await patchStatus(hub.client, object, { ...status, [field]: after });
}
