/** What bindings refer to, as caches show it; and as the server does where something would be taken away because it is missing. */

import { type CacheAccess, type Client, type Kind, type KubeObject, TemporaryError } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/** Names an object. */
export interface Named {
  readonly name: string;
  readonly namespace?: string;
}

/** Where it is looked up. */
export interface Lookup {
  readonly client: Client;
  readonly cache: CacheAccess;
}

/**
 * The object; undefined only when the server has confirmed that there is none, so that a cache that lags takes nothing away. Throws a TemporaryError where
 * the cache lacks what the server has.
 */
export async function confirmed<T extends KubeObject>(
  kind: Kind<T>,
  { name, namespace }: Named,
  { client, cache }: Lookup,
): Promise<T | undefined> {
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const cached = cache(kind).get(key);
  if (cached !== undefined) return cached;
  const options = namespace === undefined ? {} : { namespace };
  if (name === "" || (await client.find(kind, name, options)) === undefined) return undefined;
  throw new TemporaryError(`the cache does not show ${kind.kind} ${key} yet`, { delay: 1000 });
}

/** Whether objects can be made in a namespace: it is there and not on its way out. Needs Namespace. */
export function isOpenIn(cache: CacheAccess): (namespace: string) => boolean {
  return (name) => {
    const namespace = cache(Namespace).get(name);
    return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
  };
}
