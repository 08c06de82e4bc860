/** The finalizer by which the controllers of its cluster hold a project until they have let go of its namespaces there. */

import { Cluster, isClusterFinalizer, Project, projectFinalizer } from "@drover/crds";
import { dropClusterFinalizers, isTrue } from "@drover/platform";
import { addFinalizer, type Context, hasFinalizer } from "kopf-ts";
import { connected, projectIndexes } from "./names.ts";

/** Index of Projects: the cluster whose controllers hold one. */
export function holdingCluster(project: Project): readonly string[] {
  const { namespace = "", deletionTimestamp } = project.metadata;
  const isHeld = hasFinalizer(project, projectFinalizer(namespace));
  return isHeld && deletionTimestamp === undefined ? [namespace] : [];
}

/**
 * Holds a project in the name of the cluster's controllers, which may not have seen it yet: once it is gone, nobody knows which namespaces were its own. Only
 * where the cluster is there and these controllers work, as the other projects that they hold show: nobody else would ever let go of it.
 */
export async function holdForCluster(project: Project, context: Context): Promise<void> {
  const { namespace = "", name, uid } = project.metadata;
  const finalizer = projectFinalizer(namespace);
  if (hasFinalizer(project, finalizer) || !isAtWork(namespace, context)) return;
  const { client } = context;
  const live = await client.find(Project, name, { namespace });
  if (live === undefined || live.metadata.uid !== uid) return;
  if (live.metadata.deletionTimestamp !== undefined) return;
  if (!hasFinalizer(live, finalizer)) await addFinalizer(client, live, finalizer);
}

function isAtWork(name: string, { cache }: Context): boolean {
  const cluster = cache(Cluster).get(name);
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return false;
  if (!isTrue(cluster, connected)) return false;
  return cache(Project).keysByIndex(projectIndexes.held, name).length > 0;
}

/** Nobody is left who would let go of a project whose cluster is gone, as the server has it. */
export async function letGoOfGone(project: Project, { client, cache }: Context): Promise<void> {
  const { namespace = "", finalizers = [] } = project.metadata;
  if (!finalizers.some((each) => isClusterFinalizer(each, namespace))) return;
  if ((await client.find(Cluster, namespace)) !== undefined) return;
  await dropClusterFinalizers(project, { hub: { client, cache }, cluster: namespace });
}
