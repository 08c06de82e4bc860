import { type Context, type Kind, type KubeObject, parseKey, TemporaryError } from "kopf-ts";

/** Milliseconds that a cache gets to show what the server has. */
const patience = 1000;

/**
 * An object of the hub; undefined when its server says that there is none: a cache that does not know it is not believed where rights would be taken away.
 * Throws, so that it is tried again, while the cache is behind.
 */
export async function findInHub<T extends KubeObject>(
  kind: Kind<T>,
  key: string,
  { hub }: Pick<Context, "hub">,
): Promise<T | undefined> {
  const cached = hub.cache(kind).get(key);
  if (cached !== undefined) return cached;
  const { name, namespace } = parseKey(key);
  if ((await hub.client.find(kind, name, { namespace })) === undefined) return undefined;
  throw new TemporaryError(`the cache does not show ${kind.kind} ${key} yet`, { delay: patience });
}
