import { Cluster, localClusterName } from "@drover/crds";
import {
  type Client,
  type Clock,
  type Context,
  done,
  exponential,
  isAlreadyExists,
  isConflict,
  type Logger,
  patchStatus,
  type Result,
  type TaskContext,
  type WriteOptions,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import {
  desiredOwners,
  desiredSpec,
  desiredStatus,
  isOutdated,
  type LocalClusterOptions,
  newCluster,
  newNamespace,
} from "./desired.ts";
import { controllerName } from "./names.ts";

/** What keeping it needs: the context of a run, or of a task. */
interface Surroundings {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** For every write: a task has no name to write under. */
  readonly write?: Pick<WriteOptions, "fieldManager" | "signal">;
}

/** Repairs the Cluster and its namespace. */
export async function reconcile(
  cluster: Cluster,
  context: Context,
  options: LocalClusterOptions,
): Promise<Result> {
  if (cluster.metadata.name !== localClusterName) return done;
  await keep(cluster, context.cache(Namespace).get(localClusterName), context, options);
  return done;
}

/** Makes the Cluster again that somebody deleted. */
export async function recreate(
  name: string,
  context: Context,
  options: LocalClusterOptions,
): Promise<Result> {
  if (name !== localClusterName) return done;
  await keep(undefined, context.cache(Namespace).get(localClusterName), context, options);
  return done;
}

/** Looks again, so often, when a controller has changed something meanwhile: at a start several have work with the Cluster at once. */
const looks = 10;
/** Milliseconds between two looks. */
const between = { min: 20, max: 500 };

/** Makes or repairs the Cluster and its namespace by what the API server says now. */
export async function ensureLocalCluster(
  context: TaskContext,
  options: LocalClusterOptions = {},
): Promise<void> {
  const { clock, signal } = context;
  for (let look = 1; ; look++) {
    try {
      return await lookAndKeep(context, options);
    } catch (error) {
      if (!isConflict(error) || look === looks) throw error;
    }
    await clock.sleep(exponential(look - 1, between), signal);
  }
}

async function lookAndKeep(
  { client, clock, log, signal }: TaskContext,
  options: LocalClusterOptions,
): Promise<void> {
  const write = { fieldManager: `drover-${controllerName}`, signal };
  const cluster = await client.find(Cluster, localClusterName, { signal });
  const namespace = await client.find(Namespace, localClusterName, { signal });
  await keep(cluster, namespace, { client, clock, log, write }, options);
}

/** Deletes the Cluster; its namespace goes with it. */
export async function removeLocalCluster({ client, log, signal }: TaskContext): Promise<void> {
  const cluster = await client.find(Cluster, localClusterName, { signal });
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return;
  await client.delete(cluster, { signal });
  log.info("deleted the Cluster of the local cluster");
}

/** What is being deleted is left alone until it is gone: then this is called again. */
async function keep(
  found: Cluster | undefined,
  namespace: Namespace | undefined,
  context: Surroundings,
  options: LocalClusterOptions,
): Promise<void> {
  if (found?.metadata.deletionTimestamp !== undefined) return;
  const cluster = await keepSpec(found ?? (await make(context)), context);
  if (cluster === undefined) return;
  const status = desiredStatus(cluster.status ?? {}, context.clock, options);
  await patchStatus(context.client, cluster, status, context.write);
  await keepNamespace(namespace, cluster, context);
}

/** Undefined when somebody else was faster; that one's object is looked at next. */
async function make({ client, log, write }: Surroundings): Promise<Cluster | undefined> {
  const cluster = await unlessThere(client.create(newCluster(), write));
  if (cluster !== undefined) log.info("made the Cluster of the local cluster");
  return cluster;
}

async function keepSpec(
  cluster: Cluster | undefined,
  { client, write }: Surroundings,
): Promise<Cluster | undefined> {
  if (cluster === undefined || !isOutdated(cluster)) return cluster;
  const { resourceVersion } = cluster.metadata;
  const spec = desiredSpec(cluster.spec ?? {});
  return client.patch(cluster, { merge: { metadata: { resourceVersion }, spec } }, write);
}

async function keepNamespace(
  namespace: Namespace | undefined,
  cluster: Cluster,
  { client, write }: Surroundings,
): Promise<void> {
  if (namespace === undefined) {
    await unlessThere(client.create(newNamespace(cluster), write));
    return;
  }
  const ownerReferences = desiredOwners(namespace, cluster);
  if (ownerReferences === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
  const { resourceVersion } = namespace.metadata;
  await client.patch(
    namespace,
    { merge: { metadata: { resourceVersion, ownerReferences } } },
    write,
  );
}

async function unlessThere<T>(creating: Promise<T>): Promise<T | undefined> {
  try {
    return await creating;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}
