/** What goes with a cluster: last of all who hold it, in order, and without asking the cluster itself (rancher: project_cluster, clustergc). */

import {
  backingNamespaceOf,
  Cluster,
  ClusterProxyConfig,
  ClusterRegistrationToken,
  ClusterRoleTemplateBinding,
  isClusterFinalizer,
  Node,
  Project,
} from "@drover/crds";
import { release, tellConditions } from "@drover/platform";
import {
  type Context,
  done,
  type Kind,
  type KubeObject,
  type Result,
  removeFinalizer,
  requeueAfter,
} from "kopf-ts";
import { ClusterRole, Namespace, Secret } from "kopf-ts/kinds";
import { free, letGo } from "./let-go.ts";
import {
  clusterLabel,
  clusterLabelValue,
  conditions,
  expectedFinalizers,
  finalizer,
  legacyFinalizers,
  reasons,
} from "./names.ts";
import { isForCluster } from "./namespace.ts";
import { type ClusterSurroundings, systemNamespaces } from "./reconcile.ts";

/** Milliseconds between two looks for who else holds the cluster; what changes it tells itself. */
const look = 60_000;

/** Of a cluster's namespace, beside its projects. */
const belongings: readonly Kind[] = [
  ClusterRoleTemplateBinding,
  ClusterRegistrationToken,
  ClusterProxyConfig,
  Node,
];

/**
 * Waits until nobody else holds the cluster: who cleans up in it still needs what is deleted here. Then deletes projects, the System project among them, all else
 * of ours in the namespace, and the namespace; and lastly takes the finalizers off that only the cluster's own controllers would remove. What is
 * still on its way then ends by itself, so that nothing of it keeps the Cluster.
 */
export async function removeCluster(
  cluster: Cluster,
  context: Context,
  surroundings: ClusterSurroundings,
): Promise<Result> {
  const { vain, others } = holdersOf(cluster);
  if (vain !== undefined) {
    await removeFinalizer(context.client, cluster, vain);
    return requeueAfter(0);
  }
  if (others.length > 0) {
    await tellWaiting(cluster, others, context);
    return requeueAfter(look);
  }

  const { name } = cluster.metadata;
  if (!(await isStill(cluster, context))) return done;
  const projects = await deleteAll(Project, name, context);
  for (const kind of belongings) await deleteAll(kind, name, context);
  await freeSecrets(name, projects, context);
  await deleteNamespace(cluster, context, surroundings);
  const held = await letGo(name, context);
  context.log.info("deleted what went with the cluster", { projects: projects.length, held });
  return done;
}

/** The Cluster is gone: so is at once what members saw it by, and not when the garbage collector comes to it. */
export async function forget(name: string, context: Context): Promise<Result> {
  const label = { key: clusterLabel, value: clusterLabelValue(name) };
  await release({ kind: Cluster, name, label }, [ClusterRole], context);
  return done;
}

/** Who holds the cluster besides us: others, and one of those that nobody acts upon. */
function holdersOf({ metadata }: Cluster): {
  readonly vain: string | undefined;
  readonly others: readonly string[];
} {
  const others = metadata.finalizers?.filter((each) => each !== finalizer) ?? [];
  const vain = others.find(
    (each) => legacyFinalizers.includes(each) || isClusterFinalizer(each, metadata.name),
  );
  return { vain, others };
}

/** What goes is found by the cluster's name, so that one which has it by now, whatever the cache shows, would lose all that it has. */
async function isStill({ metadata }: Cluster, { client }: Context): Promise<boolean> {
  const live = await client.find(Cluster, metadata.name);
  return live !== undefined && live.metadata.uid === metadata.uid;
}

/** A finalizer that neither we nor Kubernetes will ever remove is a person's to look into. */
async function tellWaiting(
  cluster: Cluster,
  others: readonly string[],
  context: Context,
): Promise<void> {
  const foreign = others.some((each) => !expectedFinalizers.includes(each));
  const message = `waiting until finalizers of others are removed: ${others.toSorted().join(", ")}`;
  const status = foreign ? "False" : "Unknown";
  const type = conditions.removed;
  await tellConditions(
    cluster,
    [{ type, status, reason: reasons.waitsForFinalizers, message }],
    context,
  );
}

/**
 * Of the cluster's namespace, by what the server has; answers what there was. What the cluster's controllers hold is let go first, and what they were
 * faster to hold is an ApiError 409, and found by the next try: once it is being deleted nobody can hold it any more.
 */
async function deleteAll<T extends KubeObject>(
  kind: Kind<T>,
  cluster: string,
  { client, signal }: Context,
): Promise<readonly T[]> {
  const { items } = await client.list(kind, { namespace: cluster, signal });
  for (const object of items) {
    const left = await free(object, cluster, client);
    if (left === undefined || left.metadata.deletionTimestamp !== undefined) continue;
    await client.delete(left);
  }
  return items;
}

/** Secrets are in no cache: those of the cluster's namespace and of its projects', by what the server has. */
async function freeSecrets(
  cluster: string,
  projects: readonly Project[],
  { client, signal }: Context,
): Promise<void> {
  for (const namespace of new Set([cluster, ...projects.map(backingNamespaceOf)])) {
    for await (const { items } of client.pages(Secret, { namespace, signal })) {
      for (const secret of items) await free(secret, cluster, client);
    }
  }
}

/** Read live, and only if it was made for the cluster: who may name a cluster must not thereby delete whatever has that name. */
async function deleteNamespace(
  cluster: Cluster,
  context: Context,
  { env }: ClusterSurroundings,
): Promise<void> {
  const { client, events } = context;
  const { name } = cluster.metadata;
  const namespace = await client.find(Namespace, name);
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
  if (isForCluster(namespace, cluster, systemNamespaces(context, env))) {
    await client.delete(namespace, { preconditions: "uid" });
    return;
  }
  const message = `namespace ${name} was not made for the cluster and stays`;
  events.warning(reasons.spared, message);
}
