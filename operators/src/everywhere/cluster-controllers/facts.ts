/** What decides over a cluster, as its Cluster and its credentials say. */

import { annotations, type Cluster, dataNamespace } from "@drover/crds";
import {
  clusterConfig,
  credentialSecretName,
  isReachable,
  type Reachable,
  type Unreachable,
} from "@drover/platform";
import type { Secret } from "kopf-ts/kinds";

/** One cluster. */
export interface Facts {
  readonly name: string;
  readonly uid: string;
  /** The server's own cluster, which needs no way. */
  readonly isInternal: boolean;
  readonly way: Reachable | Unreachable;
  /** The uid of its namespace kube-system; undefined before it was first reached. */
  readonly identity: string | undefined;
  readonly isDeleted: boolean;
  /** When the Cluster was made, RFC 3339. */
  readonly since: string;
}

/** The facts about a cluster. */
export function factsOf(cluster: Cluster, secret: Secret | undefined): Facts {
  const { name, uid = "", annotations: notes, deletionTimestamp } = cluster.metadata;
  const { creationTimestamp: since = "" } = cluster.metadata;
  return {
    name,
    uid,
    isInternal: cluster.spec?.internal === true,
    way: clusterConfig(cluster, secret),
    identity: notes?.[annotations.clusterUid] || undefined,
    isDeleted: deletionTimestamp !== undefined,
    since,
  };
}

/** The key of the Secret with a cluster's token; undefined while there is none. */
export function credentialKeyOf(cluster: Cluster): string | undefined {
  const name = credentialSecretName(cluster);
  return name === undefined ? undefined : `${dataNamespace}/${name}`;
}

/** Whether controllers can work for the cluster. */
export function isEngageable({ isInternal, way }: Facts): boolean {
  return isInternal || isReachable(way);
}

/**
 * Whether a cluster that `seen` names belongs to `other` rather than to `one`: nobody manages a cluster under two names. The older Cluster has it, unless only
 * one was there before.
 */
export function takesFrom(other: Facts, one: Facts, seen: string): boolean {
  if (other.name === one.name || other.isDeleted || other.identity !== seen) return false;
  if (one.identity !== seen) return true;
  return other.since === one.since ? other.name < one.name : other.since < one.since;
}
