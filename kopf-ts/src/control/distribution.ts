/** One listener to a kind of the hub for all clusters, so that a change costs what it concerns and not what clusters there are. */

import type { Cache, CacheChange, Listener } from "../cache/index.ts";
import type { KubeObject } from "../kube/index.ts";

/** Names of the clusters that an object concerns. */
export type ClustersOf<T extends KubeObject = KubeObject> = (object: T) => readonly string[];

const indexes = new WeakMap<object, string>();
let made = 0;

/** The name of the index that finds the objects of a cluster; the same for the same function. */
export function indexOf<T extends KubeObject>(clusters: ClustersOf<T>): string {
  const name = indexes.get(clusters) ?? `clusters-${++made}`;
  indexes.set(clusters, name);
  return name;
}

const distributions = new WeakMap<object, WeakMap<object, Distribution>>();

/** The one of a cache and a function. */
export function distributionOf<T extends KubeObject>(
  cache: Cache<T>,
  clusters: ClustersOf<T>,
): Distribution<T> {
  const ofCache = distributions.get(cache) ?? new WeakMap<object, Distribution>();
  distributions.set(cache, ofCache);
  const known = ofCache.get(clusters) as Distribution<T> | undefined; // of the same function, so of the same type
  const distribution = known ?? new Distribution(cache, clusters);
  ofCache.set(clusters, distribution as unknown as Distribution);
  return distribution;
}

/**
 * Hands each change to the clusters that the object concerns. A cluster that it begins to concern sees it come, one that it no longer concerns
 * sees it go. Listens only while somebody is there.
 */
export class Distribution<T extends KubeObject = KubeObject> {
  readonly #cache: Cache<T>;
  readonly #clusters: ClustersOf<T>;
  readonly #listeners = new Map<string, Set<{ readonly listener: Listener<T> }>>();
  #subscription: Disposable | undefined;

  constructor(cache: Cache<T>, clusters: ClustersOf<T>) {
    this.#cache = cache;
    this.#clusters = clusters;
  }

  /** Tells what concerns the cluster until the result is disposed. */
  add(cluster: string, listener: Listener<T>): Disposable {
    const entry = { listener };
    const listeners = this.#listeners.get(cluster) ?? new Set();
    this.#listeners.set(cluster, listeners.add(entry));
    this.#subscription ??= this.#cache.subscribe((change) => this.#tell(change));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(entry);
        if (listeners.size === 0) this.#forget(cluster, listeners);
      },
    };
  }

  #forget(cluster: string, listeners: ReadonlySet<unknown>): void {
    if (this.#listeners.get(cluster) === listeners) this.#listeners.delete(cluster);
    if (this.#listeners.size > 0) return;
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = undefined;
  }

  /** A function of the declaration that throws is logged by the cache; nobody is told of that change. */
  #tell(change: CacheChange<T>): void {
    const former = this.#namesOf(change.previous());
    const present = this.#namesOf(change.current());
    for (const cluster of new Set([...former, ...present])) {
      const listeners = this.#listeners.get(cluster);
      if (listeners === undefined) continue;
      const seen = seenFrom(change, former.includes(cluster), present.includes(cluster));
      for (const { listener } of listeners) listener(seen);
    }
  }

  #namesOf(object: T | undefined): readonly string[] {
    return object === undefined ? [] : this.#clusters(object);
  }
}

/** A change as a cluster sees it that the object concerned before, or does now, or both. */
function seenFrom<T extends KubeObject>(
  change: CacheChange<T>,
  before: boolean,
  now: boolean,
): CacheChange<T> {
  if (change.type !== "MODIFIED" || before === now) return change;
  return now ? new Crossing(change, "ADDED") : new Crossing(change, "DELETED");
}

/** A change through which an object begins or ceases to concern a cluster. */
class Crossing<T extends KubeObject> implements CacheChange<T> {
  readonly type: "ADDED" | "DELETED";
  readonly labelsChanged = true;
  readonly #change: CacheChange<T>;

  constructor(change: CacheChange<T>, type: "ADDED" | "DELETED") {
    this.#change = change;
    this.type = type;
  }

  get key(): string {
    return this.#change.key;
  }
  get initial(): boolean {
    return this.#change.initial;
  }
  get resourceVersion(): string {
    return this.#change.resourceVersion;
  }
  get previousResourceVersion(): string | undefined {
    return this.type === "ADDED" ? undefined : this.#change.previousResourceVersion;
  }
  current(): T | undefined {
    return this.type === "ADDED" ? this.#change.current() : undefined;
  }
  previous(): T | undefined {
    return this.type === "DELETED" ? this.#change.previous() : undefined;
  }
}
