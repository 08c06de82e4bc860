/** Ends the work for a cluster that is deleted: its controllers stop, what they made goes, and then the Cluster may (rancher: pkg/controllers/management/usercontrollers). */

import type { Cluster } from "@drover/crds";
import {
  type Client,
  type Context,
  done,
  hasFinalizer,
  messageOf,
  type Result,
  removeFinalizer,
  requeueAfter,
} from "kopf-ts";
import { clean, stripNamespaces } from "./clean.ts";
import { type Fleet, OtherCluster } from "./fleet.ts";
import { creatorSelector } from "./leftovers.ts";
import { finalizer, reasons } from "./names.ts";
import { identityOf } from "./probe.ts";

/** How often a cluster is asked to be cleaned up, and milliseconds between (rancher: pkg/controllers/management/usercontrollers). */
const tries = 3;
const retry = 3000;

/** What removal works with. */
export interface Removal {
  readonly fleet: Fleet;
  /** Failed tries by the uid of the Cluster. */
  readonly failures: Map<string, number>;
}

/** A cluster that cannot be cleaned up is let go all the same, and people are told what may be left. */
export async function remove(
  cluster: Cluster,
  context: Context,
  { fleet, failures }: Removal,
): Promise<Result> {
  const { name, uid = "" } = cluster.metadata;
  await fleet.retire(name);
  if (!hasFinalizer(cluster, finalizer)) return done;

  const failure = await tryToClean(cluster, context, fleet);
  if (failure !== undefined) {
    const count = (failures.get(uid) ?? 0) + 1;
    failures.set(uid, count);
    context.log.warn("cannot clean up a cluster that is removed", { reason: failure.message });
    if (count < tries && !failure.isFinal) return requeueAfter(retry);
    context.events.warning(reasons.notCleanedUp, leftovers(failure, name));
  }
  failures.delete(uid);
  await removeFinalizer(context.client, cluster, finalizer);
  return done;
}

/** Why a cluster was not cleaned up. */
interface Failure {
  readonly message: string;
  /** Another try would end the same. */
  readonly isFinal: boolean;
  /** Another cluster answers, in which nothing is to be deleted by hand either. */
  readonly isOther?: boolean;
}

async function tryToClean(
  { metadata: { name }, spec }: Cluster,
  { signal, log }: Context,
  fleet: Fleet,
): Promise<Failure | undefined> {
  const client = fleet.clientOf(name);
  if (client === undefined) return { message: "it cannot be reached", isFinal: true };
  try {
    if (spec?.internal === true) await stripNamespaces(client, { cluster: name, signal });
    else if (!(await cleanOther(client, { name, signal, fleet }))) {
      log.info("left alone a cluster that runs a server itself");
    }
    return undefined;
  } catch (error) {
    const isOther = error instanceof OtherCluster;
    return { message: messageOf(error), isFinal: isOther, isOther };
  }
}

/** Nothing is deleted in a cluster that is not the one that it was. */
async function cleanOther(
  client: Client,
  { name, signal, fleet }: { name: string; signal: AbortSignal; fleet: Fleet },
): Promise<boolean> {
  await fleet.identify(name, await identityOf(client, signal));
  return clean(client, { cluster: name, signal });
}

/** Other clusters on the server find what is left in their way, if the cluster comes back under another name. */
function leftovers({ message, isOther }: Failure, name: string): string {
  if (isOther === true) {
    return `the cluster was removed here, and nothing was touched in the one that answers: ${message}`;
  }
  return `the cluster was removed here, but not cleaned up: ${message}. Either import it once more as ${name} and delete it while it answers, or delete there namespaces cattle-system and cattle-impersonation-system, what carries label ${creatorSelector}, and what has an annotation objectset.rio.cattle.io/id that ends in @${name}`;
}
