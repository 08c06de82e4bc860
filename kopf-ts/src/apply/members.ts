/** Where applySet learns which objects there are: caches, or else one list per kind. */

import { TemporaryError } from "../base/index.ts";
import type { Cache } from "../cache/index.ts";
import { type Client, type Kind, type KubeObject, keyOf, resourceName } from "../kube/index.ts";
import { type AppliedForms, formsBeside } from "./applied-forms.ts";
import { claimOf, setIndex, setLabel } from "./marks.ts";

/** What applySet reads of a cache, which must have the index `setIndex`. */
export type MemberCache = Pick<Cache, "synced" | "watchState" | "get" | "byIndex">;

/** The objects of one kind as applySet sees them. */
export interface Members {
  readonly kind: Kind;
  /** Any object of that name, marked or not, as far as it is known. */
  get(key: string): KubeObject | undefined;
  /** Whether `get` knows every object but the newest; otherwise what it does not show has to be looked for. */
  readonly complete: boolean;
  /** All that bear the set's marks. */
  readonly members: readonly KubeObject[];
  /** What the server is known to make of what is sent. */
  readonly forms: AppliedForms;
  /** Why members that left must not be deleted now. */
  readonly mayNotPrune?: Error;
}

/** Reads from a cache. A cache that never was complete knows of nothing, and one that lost its watch is of unknown age: neither prunes. */
export function membersInCache(kind: Kind, cache: MemberCache, hash: string): Members {
  const inTouch = cache.synced && cache.watchState.phase !== "degraded";
  const view = {
    kind,
    get: (key: string) => cache.get(key),
    complete: inTouch,
    members: cache.byIndex(setIndex.name, hash).filter((object) => claimOf(object) === hash),
    forms: formsBeside(cache),
  };
  if (inTouch) return view;
  const state = cache.synced ? "out of touch with the server" : "not synced yet";
  const message = `the cache of ${resourceName(kind)} is ${state}; nothing is pruned by it`;
  return { ...view, mayNotPrune: new TemporaryError(message) };
}

/** Reads the members from the server, for callers without a cache: one list per kind and call, which shows no object of anybody else. */
export async function membersOnServer(
  client: Client,
  kind: Kind,
  hash: string,
  signal: AbortSignal | undefined,
): Promise<Members> {
  const members: KubeObject[] = [];
  const options = { labelSelector: `${setLabel}=${hash}`, ...(signal && { signal }) };
  for await (const { items } of client.pages(kind, options)) {
    members.push(...items.filter((object) => claimOf(object) === hash));
  }
  const byKey = new Map(members.map((object) => [keyOf(object), object]));
  const get = (key: string): KubeObject | undefined => byKey.get(key);
  return { kind, get, complete: false, members, forms: formsBeside(client) };
}
