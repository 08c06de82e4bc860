/** Caches of one cluster, filled for one command. */

import {
  type Cache,
  type CacheAccess,
  type Client,
  Informers,
  type Kind,
  type KubeObject,
  type Readable,
  resourceName,
} from "kopf-ts";

/** Caches that are filled. */
export interface FilledCaches extends AsyncDisposable {
  readonly cache: CacheAccess;
}

/** Lists everything that is declared. Rejects with an ApiError for what cannot be listed, and with the signal's reason. */
export async function fillCaches(
  client: Client,
  reads: readonly Readable[],
  signal: AbortSignal,
): Promise<FilledCaches> {
  // Watches wait for what they may not see, and a command should say it instead.
  await Promise.all(reads.map(({ kind }) => client.list(kind, { limit: 1, signal })));
  const informers = new Informers(client, { audit: false });
  try {
    const caches = await Promise.all(
      reads.map(async ({ kind, indexes = {} }) => {
        const informer = informers.acquire(kind);
        for (const [name, of] of Object.entries(indexes)) await informer.addIndex(name, of);
        await informer.whenSynced(signal);
        return [resourceName(kind), informer.cache] as const;
      }),
    );
    const byName = new Map<string, Cache>(caches);
    const cache = <K extends KubeObject>(kind: Kind<K>): Cache<K> => {
      const found = byName.get(resourceName(kind));
      if (found === undefined) throw new TypeError(`${resourceName(kind)} was not filled`);
      return found as unknown as Cache<K>; // kept under its own name
    };
    return { cache, [Symbol.asyncDispose]: () => informers.dispose() };
  } catch (error) {
    await informers.dispose();
    throw error;
  }
}
