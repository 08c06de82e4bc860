import { type Cluster, Node } from "@drover/crds";
import { tellConditions } from "@drover/platform";
import { type Context, done, type Result, requeueAfter } from "kopf-ts";
import { summed } from "./desired.ts";
import { nodeIndex } from "./names.ts";
import type { Pauses } from "./pauses.ts";

/** Sums up the nodes of a cluster in its status; not more often than once per pause, for every Pod changes a node. */
export async function reconcile(
  cluster: Cluster,
  context: Context,
  pauses: Pauses,
): Promise<Result> {
  const { name } = cluster.metadata;
  const left = pauses.wait(name, context.clock.monotonic());
  if (left > 0) return requeueAfter(left);

  const { fields, told } = summed(context.cache(Node).byIndex(nodeIndex, name));
  try {
    await tellConditions(cluster, told, context, fields);
  } catch (error) {
    pauses.forget(name); // somebody else wrote the status: the next try is due at once
    throw error;
  }
  return done;
}
