import { type Cluster, Node } from "@drover/crds";
import { tellConditions } from "@drover/platform";
import { type Context, done, type Result } from "kopf-ts";
import { driverOf, isAdministrated, progressOf } from "./desired.ts";
import { nodeIndex } from "./names.ts";

/** Says in the cluster's status how far it is, and what it turned out to be. */
export async function reconcile(cluster: Cluster, context: Context): Promise<Result> {
  if (isAdministrated(cluster)) return done;
  const nodes = context.cache(Node).byIndex(nodeIndex, cluster.metadata.name);
  const driver = driverOf(cluster, nodes);
  const fields = driver === undefined ? {} : { driver };
  await tellConditions(cluster, progressOf(cluster), context, fields);
  if (driver !== undefined) context.log.info("found out what the cluster is", { driver });
  return done;
}
