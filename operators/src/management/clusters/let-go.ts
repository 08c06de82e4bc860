/** Takes off finalizers that only the controllers of a cluster that is no more would remove (rancher: pkg/controllers/management/clustergc). */

import { isClusterFinalizer, kinds } from "@drover/crds";
import {
  ApiError,
  type Client,
  type Context,
  isNotFound,
  type Kind,
  type KubeObject,
} from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";

/**
 * From all objects of our kinds, from Namespaces, and from Secrets of these namespaces, as the server has them: a cache that is behind would leave some for
 * ever. An object that changes at that moment is an ApiError 409, and found again by the next try.
 */
export async function letGo(
  cluster: string,
  namespaces: readonly string[],
  { client, log }: Pick<Context, "client" | "log">,
): Promise<void> {
  let count = 0;
  for (const kind of [...kinds, Namespace]) {
    count += await free(kind, undefined, cluster, client).catch((error: unknown) => {
      if (!isUnserved(error)) throw error;
      log.warn("cannot look for finalizers in a kind that is not served", {
        resource: kind.plural,
      });
      return 0;
    });
  }
  for (const namespace of new Set(namespaces)) {
    count += await free(Secret, namespace, cluster, client);
  }
  if (count > 0) log.info("removed finalizers of the cluster's controllers", { objects: count });
}

async function free(
  kind: Kind,
  namespace: string | undefined,
  cluster: string,
  client: Client,
): Promise<number> {
  let count = 0;
  for await (const { items } of client.pages(kind, { namespace })) {
    for (const object of items) {
      const left = remaining(object, cluster);
      if (left === undefined) continue;
      await patchUnlessGone(object, left, client);
      count++;
    }
  }
  return count;
}

/** Nothing is known to be held where nobody can look; the removal must end all the same. */
function isUnserved(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && error.reason === "UnknownKind");
}

/** Finalizers that stay, which are those of others; undefined where nothing is to be done. */
export function remaining(
  { metadata: { finalizers = [] } }: KubeObject,
  cluster: string,
): readonly string[] | undefined {
  const left = finalizers.filter((each) => !isClusterFinalizer(each, cluster));
  return left.length === finalizers.length ? undefined : left;
}

async function patchUnlessGone(
  object: KubeObject,
  finalizers: readonly string[],
  client: Client,
): Promise<void> {
  const { resourceVersion } = object.metadata;
  try {
    await client.patch(object, { merge: { metadata: { resourceVersion, finalizers } } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
