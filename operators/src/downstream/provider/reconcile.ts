import { type Cluster, Node } from "@drover/crds";
import { isTrue } from "@drover/platform";
import { type Context, done, patchStatus, type Result } from "kopf-ts";
import { labelPatch, providerOf } from "./desired.ts";
import { nodesByCluster, providerLabel, ready } from "./names.ts";

/** Tells who provides the cluster, in its label and its status, once it is Ready and that is known. */
export async function reconcile(cluster: Cluster, { hub }: Context): Promise<Result> {
  const { metadata, status = {} } = cluster;
  if (!isTrue(cluster, ready)) return done;
  const nodes = hub.cache(Node).byIndex(nodesByCluster, metadata.name);
  const provider = providerOf({ gitVersion: status.version?.gitVersion ?? "", nodes });
  if (provider === undefined) return done;

  const { uid, resourceVersion } = metadata;
  const change = labelPatch(metadata.labels, providerLabel, provider);
  const merge = { metadata: { uid, resourceVersion, ...change } };
  const labelled =
    change === undefined ? cluster : await hub.client.patch<Cluster>(cluster, { merge });
  await patchStatus(hub.client, labelled, { ...labelled.status, provider });
  return done;
}
