import { findNamed } from "@drover/platform";
import type { Kind, KubeObject } from "kopf-ts";
import type { AdmissionContext } from "kopf-ts/admission";

/** An object from the cache; from the API server when the cache has none, which may only mean that it does not have it yet. A name that nothing can have is nobody's. */
export async function cachedOrLive<T extends KubeObject>(
  { cache, client, signal }: AdmissionContext,
  kind: Kind<T>,
  name: string,
  namespace?: string,
): Promise<T | undefined> {
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  return cache(kind).get(key) ?? findNamed(client, kind, name, { namespace, signal });
}

/** Which of these cached objects, in their order, the API server still has as `holds` says: the first one. A refusal never rests on an old cache alone. */
export async function firstStill<T extends KubeObject>(
  { client, signal }: AdmissionContext,
  kind: Kind<T>,
  cached: readonly T[],
  holds: (object: T) => boolean,
): Promise<T | undefined> {
  for (const { metadata } of cached) {
    const { name, namespace } = metadata;
    const live = await client.find(kind, name, { namespace, signal });
    if (live !== undefined && holds(live)) return live;
  }
  return undefined;
}
