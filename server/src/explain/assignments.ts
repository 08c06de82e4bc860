/** Which concerns look after an object, and in which clusters. */

import { Cluster, localClusterName } from "@drover/crds";
import { unrehearsed } from "@drover/operators";
import { findNamed, isTrue } from "@drover/platform";
import { type AnyController, type Client, type Kind, type KubeObject, resourceName } from "kopf-ts";
import { reachCluster } from "../clusters.ts";
import type { Target } from "./target.ts";

/** Where to look. */
export interface Surroundings {
  readonly hub: Client;
  readonly concerns: {
    readonly management: readonly AnyController[];
    readonly downstream: readonly AnyController[];
  };
  /** The only cluster to look at. */
  readonly only: string | undefined;
  readonly signal: AbortSignal;
}

/** What has to be asked in one cluster. */
export interface Assignment {
  readonly cluster: string;
  /** Its Cluster says that nobody reaches it, or there is none. */
  readonly isAway: boolean;
  /** In the order in which the server lists them. */
  readonly concerns: readonly Concern[];
}

/** A controller, and whether it works between the hub and a cluster. */
export interface Concern {
  readonly controller: AnyController;
  readonly isDownstream: boolean;
}

/** Namespaces are those of the cluster that is asked about, everything else is in the hub. Throws an Error where there is no such object. */
export async function objectOf(
  { kind, name, namespace }: Target,
  { hub, only = localClusterName, signal }: Surroundings,
): Promise<KubeObject> {
  const home = kind.group === "" ? only : localClusterName;
  await using reached = await reachCluster(hub, home, signal);
  const found = await findNamed(reached.client, kind, name, { namespace, signal });
  if (found !== undefined) return found;
  const where = home === localClusterName ? "" : ` in cluster ${home}`;
  throw new Error(
    `there is no ${kind.kind} ${[namespace, name].filter(Boolean).join("/")}${where}`,
  );
}

/** The hub comes first, then clusters by name. Throws an Error where nothing looks after the kind there. */
export async function assignmentsOf(
  object: KubeObject,
  kind: Kind,
  around: Surroundings,
): Promise<readonly Assignment[]> {
  const { concerns, only } = around;
  const looksAfter = ({ watches, name }: AnyController): boolean =>
    resourceName(watches) === resourceName(kind) && !unrehearsed.has(name);
  const managed = await managedClusters(around);
  const found = new Map<string, Concern[]>();
  const assign = (cluster: string, concern: Concern): void => {
    if (only !== undefined && cluster !== only) return;
    found.set(cluster, [...(found.get(cluster) ?? []), concern]);
  };
  for (const controller of concerns.management.filter(looksAfter)) {
    assign(localClusterName, { controller, isDownstream: false });
  }
  for (const controller of concerns.downstream.filter(looksAfter)) {
    const clusters = clustersOf(controller, object, [...managed.keys()], only);
    for (const cluster of clusters) assign(cluster, { controller, isDownstream: true });
  }
  if (found.size === 0) throw new Error(nothingText(kind, only));
  return [...found]
    .map(([cluster, assigned]) => ({
      ...{ cluster, concerns: assigned },
      isAway: managed.get(cluster) !== true && cluster !== localClusterName,
    }))
    .toSorted((a, b) => byName(a.cluster, b.cluster));
}

function nothingText({ kind }: Kind, only: string | undefined): string {
  const where = only === undefined ? "" : ` in cluster ${only}`;
  return `no concern of the server looks after a ${kind}${where}: nothing follows from it`;
}

function byName(a: string, b: string): number {
  if (a === b) return 0;
  if (a === localClusterName || b === localClusterName) return a === localClusterName ? -1 : 1;
  return a < b ? -1 : 1;
}

/** The clusters to look at by name, all or the one that was asked about, and whether they are connected. */
async function managedClusters({
  hub,
  only,
  signal,
}: Surroundings): Promise<ReadonlyMap<string, boolean>> {
  if (only === localClusterName) return new Map([[only, true]]); // it is there, also where it is not managed
  if (only === undefined) {
    const { items } = await hub.list(Cluster, { signal });
    return new Map(items.map((cluster) => [cluster.metadata.name, isTrue(cluster, "Connected")]));
  }
  const found = await findNamed(hub, Cluster, only, { signal });
  if (found === undefined) throw new Error(`there is no cluster ${only}`);
  return new Map([[only, isTrue(found, "Connected")]]);
}

/** The clusters that an object concerns: those that the declaration names, or all; its own, which is the one that is asked about. */
function clustersOf(
  { hub: declared }: AnyController,
  object: KubeObject,
  managed: readonly string[],
  own = localClusterName,
): readonly string[] {
  if (declared === undefined) return [own];
  if (declared === true || declared.clusters === undefined) return managed;
  return [...new Set(declared.clusters(object))];
}
