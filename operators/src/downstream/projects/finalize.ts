/** What goes with a project in its cluster. */

import { Cluster, idOfProject, type Project, Setting } from "@drover/crds";
import { type Environment, liveSettings, namesIn, throwForRetry } from "@drover/platform";
import { type Context, done, type Result, requeueAfter, TemporaryError } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { goesWithProject, takeOut } from "./desired.ts";
import { indexes, reasons } from "./names.ts";
import { settleRoles, takeOver } from "./roles.ts";

/** Changed at once. */
const breadth = 8;

/**
 * Deletes the namespaces that people made in the project, and takes the others out of it; ends once none is left. While the cluster itself is being
 * removed none is deleted: it lives on without the server.
 */
export async function cleanUp(
  project: Project,
  context: Context,
  env: Environment,
): Promise<Result> {
  const left = context
    .cache(Namespace)
    .byIndex(indexes.project, idOfProject(project))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (left.length > 0) {
    await letGo(left, context, env);
    return requeueAfter(0);
  }
  const { synced, watchState } = context.cache(Namespace);
  if (!synced || watchState.phase === "degraded") {
    throw new TemporaryError("cannot tell which namespaces the project has: no watch of them");
  }
  if (await takeOver(project, context)) return requeueAfter(0);
  throwForRetry(await settleRoles(project, [], context));
  return done;
}

async function letGo(
  namespaces: readonly Namespace[],
  context: Context,
  env: Environment,
): Promise<void> {
  const mayDelete = !(await isClusterLeaving(context));
  const system = mayDelete ? await systemNamespacesNow(context, env) : [];
  const queue = [...namespaces];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await (mayDelete && goesWithProject(next, system) ? remove : free)(next, context);
    }
  };
  await Promise.all(Array.from({ length: Math.min(breadth, queue.length) }, worker));
}

/** Carries uid and resourceVersion: one that was moved away meanwhile stays. */
async function remove(namespace: Namespace, { client, events, log }: Context): Promise<void> {
  await client.delete(namespace);
  const { name } = namespace.metadata;
  events.normal(
    reasons.namespaceDeleted,
    `deleted namespace ${name}, which was made in this project`,
  );
  log.info("deleted a namespace with its project", { deleted: name });
}

async function free(namespace: Namespace, { client }: Context): Promise<void> {
  await client.patch(namespace, { merge: takeOut(namespace) });
}

/** By the server, for the same reason as below. */
async function systemNamespacesNow({ hub }: Context, env: Environment): Promise<readonly string[]> {
  const live = await hub.client.find(Setting, "system-namespaces");
  return namesIn(liveSettings({ get: () => live }, env).text("system-namespaces"));
}

/** One that nobody knows counts as leaving. What is deleted is gone for good, so the server has the last word: a cache may not show yet that the cluster goes. */
async function isClusterLeaving({ hub, cluster: name }: Context): Promise<boolean> {
  const cached = hub.cache(Cluster, { metadataOnly: true }).get(name);
  if (cached?.metadata.deletionTimestamp !== undefined) return true;
  const cluster = await hub.client.find(Cluster, name);
  return cluster === undefined || cluster.metadata.deletionTimestamp !== undefined;
}
