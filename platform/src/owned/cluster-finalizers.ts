import { isClusterFinalizer } from "@drover/crds";
import type { Context, KubeObject } from "kopf-ts";

/**
 * Takes the finalizers of a Rancher's controllers for this cluster off an object of the hub: our objects are known by their marks and go with their owner, so
 * deleting it never waits for a cluster that is away.
 */
export async function dropClusterFinalizers(
  object: KubeObject,
  { hub, cluster }: Pick<Context, "hub" | "cluster">,
): Promise<void> {
  const { finalizers = [], resourceVersion } = object.metadata;
  const left = finalizers.filter((finalizer) => !isClusterFinalizer(finalizer, cluster));
  if (left.length === finalizers.length) return;
  await hub.client.patch(object, { merge: { metadata: { resourceVersion, finalizers: left } } });
}
