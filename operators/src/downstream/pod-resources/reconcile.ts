import { type Context, done, type Result, requeueAfter } from "kopf-ts";
import { type Node, Pod } from "kopf-ts/kinds";
import { annotationsFor, nodePatch } from "./desired.ts";
import { podsByNode } from "./names.ts";

/** What all runs of one cluster share. */
export interface Shared {
  /** Milliseconds between two writes to one node. */
  readonly pause: number;
  /** Times of the last ones, by cluster and node; milliseconds of the monotonic clock. */
  readonly written: Map<string, number>;
}

/** Tells in a node's annotations what its Pods ask for, at once when nothing was told for a while, and else when the pause is over. */
export async function reconcile(node: Node, context: Context, shared: Shared): Promise<Result> {
  const { cache, client, clock, cluster, key } = context;
  const pods = cache(Pod).byIndex(podsByNode, key);
  const merge = nodePatch(node, annotationsFor(pods));
  if (merge === undefined) return done;

  const entry = `${cluster}/${key}`;
  const last = shared.written.get(entry);
  const left = last === undefined ? 0 : last + shared.pause - clock.monotonic();
  if (left > 0) return requeueAfter(left);
  shared.written.set(entry, clock.monotonic());
  await client.patch(node, { merge });
  return done;
}
