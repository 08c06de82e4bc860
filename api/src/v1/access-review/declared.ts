import { type AccessSources, accessReads, accessSources } from "@drover/platform";
import type { CacheAccess, Informer, Informers, Kind, KubeObject } from "kopf-ts";

/**
 * Role template bindings, global role bindings and what they grant, as `declaredChains` reads them. Resolves when they can be asked; what of it is not served yet, or not listed
 * yet, is missing until it is. Gives its caches back when the signal aborts.
 */
export async function declaredSources(
  informers: Informers,
  signal: AbortSignal,
): Promise<AccessSources> {
  const held = new Map<string, Informer<KubeObject>>();
  const indexed: Promise<void>[] = [];
  for (const { kind, indexes = {} } of accessReads) {
    const informer = informers.acquire(kind);
    held.set(kind.plural, informer);
    for (const [name, index] of Object.entries(indexes))
      indexed.push(informer.addIndex(name, index));
  }
  const end = (): void => {
    for (const informer of held.values()) informer.release();
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  await Promise.all(indexed);
  return accessSources(cacheOf(held));
}

function cacheOf(held: ReadonlyMap<string, Informer<KubeObject>>): CacheAccess {
  return <T extends KubeObject>(kind: Kind<T>) => {
    const informer = held.get(kind.plural);
    if (informer === undefined) throw new Error(`${kind.kind} is not declared`);
    return informer.cache as unknown as Informer<T>["cache"]; // found by its kind
  };
}
