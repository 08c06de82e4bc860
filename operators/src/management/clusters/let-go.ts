/** Takes off finalizers that only the controllers of a cluster that is no more would remove (rancher: pkg/controllers/management/clustergc). */

import {
  clusterInFinalizer,
  clusterInFinalizers,
  Feature,
  FleetWorkspace,
  GlobalRole,
  GlobalRoleBinding,
  isClusterFinalizer,
  ProjectNetworkPolicy,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  Setting,
  Token,
  User,
  UserAttribute,
} from "@drover/crds";
import { type Client, type Context, isNotFound, type Kind, type KubeObject } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/**
 * What a Rancher's controllers of one cluster held outside of the cluster's own namespace. None of ours does, so that what the caches show is what was there
 * long before.
 */
export const heldKinds: readonly Kind[] = [
  RoleTemplate,
  GlobalRole,
  GlobalRoleBinding,
  ProjectRoleTemplateBinding,
  ProjectNetworkPolicy,
  User,
  UserAttribute,
  Token,
  Setting,
  Feature,
  FleetWorkspace,
  Namespace,
];

/** Of the caches of these kinds: what the controllers of a cluster hold. */
export const holderIndex: {
  readonly name: string;
  readonly of: (object: KubeObject) => readonly string[];
} = {
  name: "clusters.finalizers",
  of: ({ metadata: { finalizers = [] } }) =>
    finalizers.map(clusterInFinalizer).filter((cluster) => cluster !== undefined),
};

/**
 * Takes the cluster's finalizers off all that the caches show with them. An object that is not as the cache has it is an ApiError 409, and found again by the
 * next try. Answers how many there were.
 */
export async function letGo(
  cluster: string,
  { client, cache }: Pick<Context, "client" | "cache">,
): Promise<number> {
  const held = heldKinds.flatMap((kind) =>
    clusterInFinalizers(cluster).flatMap((said) => cache(kind).byIndex(holderIndex.name, said)),
  );
  for (const object of held) await free(object, cluster, client);
  return held.length;
}

/** The object without the finalizers of the cluster, written where it has any; undefined when it is gone. */
export async function free<T extends KubeObject>(
  object: T,
  cluster: string,
  client: Client,
): Promise<T | undefined> {
  const finalizers = remaining(object, cluster);
  if (finalizers === undefined) return object;
  const { resourceVersion } = object.metadata;
  try {
    return await client.patch<T>(object, { merge: { metadata: { resourceVersion, finalizers } } });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Finalizers that stay, which are those of others; undefined where nothing is to be done. */
export function remaining(
  { metadata: { finalizers = [] } }: KubeObject,
  cluster: string,
): readonly string[] | undefined {
  const left = finalizers.filter((each) => !isClusterFinalizer(each, cluster));
  return left.length === finalizers.length ? undefined : left;
}
