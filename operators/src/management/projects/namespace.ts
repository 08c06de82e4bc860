/** The namespace of a project's own objects: made, kept, and deleted with the project. */

import { backingNamespaceOf, Cluster, Project } from "@drover/crds";
import type { NamespaceMetadata } from "@drover/platform";
import { applySet, type Context, keyOf } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { backingNamespace, isBacking } from "./desired.ts";
import { projectIndexes, reasons, setIds } from "./names.ts";
import { type Obstacle, refused, taken, terminating } from "./obstacle.ts";

/** Makes or repairs the namespace; answers what stands in the way. It is never pruned: what is in it must not go by mistake. */
export async function keepNamespace(
  project: Project,
  context: Context,
  wanted: NamespaceMetadata,
): Promise<Obstacle | undefined> {
  const { client, cache, signal } = context;
  const live = cache(Namespace).get(backingNamespaceOf(project));
  if (live?.metadata.deletionTimestamp !== undefined) return terminating(live);
  if (live !== undefined && !isBacking(live, project, belongsElsewhere(project, context)))
    return taken(live);
  const set = { owner: project, id: setIds.namespace, prune: [], keep: [Namespace] };
  const caches = () => cache(Namespace);
  try {
    await applySet(client, [backingNamespace(project, wanted)], { ...set, caches, signal });
    return undefined;
  } catch (error) {
    return refused(error);
  }
}

/** Deletes the namespace, but never one that is somebody else's and only has the name. */
export async function removeNamespace(project: Project, context: Context): Promise<void> {
  const { client, events } = context;
  const name = backingNamespaceOf(project);
  const live = await client.find(Namespace, name);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
  if (isBacking(live, project, belongsElsewhere(project, context))) {
    await client.delete(live, { preconditions: "uid" });
    return;
  }
  events.warning(reasons.spared, `namespace ${name} is not this project's, so it stays`);
}

/** Whether a name is that of a cluster's namespace, or another project's. */
function belongsElsewhere(project: Project, { cache }: Context): (name: string) => boolean {
  const own = keyOf(project);
  return (name) =>
    cache(Cluster).has(name) ||
    cache(Project)
      .keysByIndex(projectIndexes.backingNamespace, name)
      .some((key) => key !== own);
}
