/** What the Cluster `local` and its namespace look like (rancher: pkg/data/dashboard). */

import {
  Cluster,
  type ClusterSpec,
  type ClusterStatus,
  localClusterName,
  localWorkspaceName,
} from "@drover/crds";
import { type Clock, findCondition, ownerReference, setNormanCondition } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/** What the server was told of its own cluster. */
export interface LocalClusterOptions {
  /** Whether this server brought the cluster with it, as `drover dev` does. */
  readonly embedded?: boolean;
}

/** The Cluster as it is made. */
export function newCluster(): Cluster {
  return {
    apiVersion: `${Cluster.group}/${Cluster.version}`,
    kind: Cluster.kind,
    metadata: { name: localClusterName },
    spec: desiredSpec({}),
  };
}

/** The spec as it has to be: what people may choose is only filled in. */
export function desiredSpec(spec: ClusterSpec): ClusterSpec {
  return {
    ...spec,
    internal: true,
    displayName: spec.displayName || localClusterName,
    fleetWorkspaceName: spec.fleetWorkspaceName || localWorkspaceName,
    dockerRootDir: spec.dockerRootDir || "/var/lib/docker",
  };
}

/** Whether the spec lacks something. */
export function isOutdated({ spec = {} }: Cluster): boolean {
  const wanted: Readonly<Record<string, unknown>> = { ...desiredSpec(spec) };
  const found: Readonly<Record<string, unknown>> = { ...spec };
  return Object.keys(wanted).some((field) => wanted[field] !== found[field]);
}

/** Ready unless something says otherwise, and always connected: no agent stands between a server and its own cluster. */
export function desiredStatus(
  status: ClusterStatus,
  clock: Clock,
  { embedded = false }: LocalClusterOptions = {},
): ClusterStatus {
  const known = findCondition(status.conditions, "Ready") !== undefined;
  const ready = known
    ? status.conditions
    : setNormanCondition(status.conditions, { type: "Ready", status: "True" }, clock);
  return {
    ...status,
    driver: status.driver || (embedded ? "local" : "imported"),
    conditions: setNormanCondition(ready, { type: "Connected", status: "True" }, clock),
  };
}

/** The namespace as it is made: it goes with the cluster. */
export function newNamespace(cluster: Cluster): Namespace {
  const metadata = { name: localClusterName, ownerReferences: [ownerOf(cluster)] };
  return { apiVersion: "v1", kind: Namespace.kind, metadata };
}

/** The namespace's owners with the cluster among them; undefined if it is. */
export function desiredOwners(
  { metadata }: Namespace,
  cluster: Cluster,
): Namespace["metadata"]["ownerReferences"] | undefined {
  const { ownerReferences = [] } = metadata;
  if (ownerReferences.some(({ uid }) => uid === cluster.metadata.uid)) return undefined;
  return [...ownerReferences, ownerOf(cluster)];
}

function ownerOf(cluster: Cluster): ReturnType<typeof ownerReference> {
  return ownerReference(cluster, { controller: false, blockOwnerDeletion: false });
}
