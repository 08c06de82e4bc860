/** Tells of a project that is being deleted and waits: for the controllers of its cluster, which may be away for long, or for others. */

import { Cluster, isClusterFinalizer, type Project } from "@drover/crds";
import { isTrue } from "@drover/platform";
import { type Context, done, findCondition, type Result, requeueAfter } from "kopf-ts";
import { letGoOfGone } from "./hold.ts";
import { conditions, connected, reasons } from "./names.ts";
import { report } from "./status.ts";

/** Milliseconds that a cluster which is connected may take before it is told; that one does not answer is found out in less. */
const patience = 60_000;

/** Its garbage collector removes them. */
const ofKubernetes: readonly string[] = ["foregroundDeletion", "orphan"];

/** Index of Projects: the cluster that one which is being deleted waits for. */
export function awaitedCluster({ metadata }: Project): readonly string[] {
  const { namespace = "", deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return [];
  return finalizers.some((each) => isClusterFinalizer(each, namespace)) ? [namespace] : [];
}

/**
 * Says on a project that is being deleted which cluster it waits for, and what ends that: at once where that is not connected, else once it takes long. Says it
 * once; changes of the project and of the cluster's connection run it again. Lets go of the project when there is no cluster any more. What else holds a project
 * that no cluster holds is told at once.
 */
export async function tellWaiting(project: Project, context: Context): Promise<Result> {
  const [name] = awaitedCluster(project);
  if (name === undefined) return tellOthers(project, context);
  const cluster = context.cache(Cluster).get(name);
  if (cluster === undefined) {
    await letGoOfGone(project, context);
    return done;
  }
  const left = timeLeft(project, cluster, context.clock.now());
  if (left > 0) return requeueAfter(left);

  await tell(project, reasons.waitsForCluster, waitingText(cluster), context);
  return done;
}

/** No cluster holds it, or no longer: a finalizer that neither we nor Kubernetes will ever remove is a person's to look into. */
async function tellOthers(project: Project, context: Context): Promise<Result> {
  const { finalizers = [] } = project.metadata;
  const others = finalizers.filter((each) => !ofKubernetes.includes(each)).toSorted();
  if (others.length === 0) return done;
  const message = `waiting until finalizers of others are removed: ${others.join(", ")}`;
  await tell(project, reasons.waitsForFinalizers, message, context);
  return done;
}

async function tell(
  project: Project,
  reason: string,
  message: string,
  context: Context,
): Promise<void> {
  const told = { type: conditions.removed, status: "False", reason, message } as const;
  await report(project, { conditions: [told] }, context);
}

/** Milliseconds until it is worth telling. Counted from when the cluster could begin, and never more than `patience`, whatever the servers' clocks say. */
export function timeLeft(project: Project, cluster: Cluster, now: number): number {
  if (!isTrue(cluster, connected)) return 0;
  const { lastTransitionTime } = findCondition(cluster.status?.conditions, connected) ?? {};
  const times = [project.metadata.deletionTimestamp, lastTransitionTime].map((time) =>
    Date.parse(time ?? ""),
  );
  const since = Math.max(...times.filter((time) => !Number.isNaN(time)));
  return Math.min(since + patience - now, patience);
}

/** Nothing in it changes while the cluster stays as it is: each other text is a write. */
export function waitingText(cluster: Cluster): string {
  const { name, deletionTimestamp } = cluster.metadata;
  const waiting = `waiting until cluster ${name} has let go of the project's namespaces`;
  if (deletionTimestamp !== undefined) {
    return `${waiting}, or is gone: it is being deleted, and its own condition ${conditions.removed} says what that waits for`;
  }
  if (!isTrue(cluster, connected)) {
    return `${waiting}: it is not connected; this ends once it is connected again, or once its Cluster is deleted`;
  }
  return `${waiting}: it is connected, but has not done so for ${patience / 1000} s; the server's log says why; this ends once it has, or once its Cluster is deleted`;
}
