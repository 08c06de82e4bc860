/** What a controller sees of a kind: everything, or of the hub's objects those that concern its cluster. */

import type { Cache, CacheChange, Informer, Listener, Subscription } from "../cache/index.ts";
import type { KubeObject } from "../kube/index.ts";
import type { FromHub } from "./controller.ts";
import { type ClustersOf, distributionOf, indexOf } from "./distribution.ts";

/** The objects of one kind, as far as they exist for a controller. */
export interface View<T extends KubeObject = KubeObject> {
  readonly cache: Cache<T>;
  /** Resolves when everything can be asked. */
  readonly ready: Promise<void>;
  get(key: string): T | undefined;
  /** In doubt an object is there: what is not is taken for deleted. */
  has(key: string): boolean;
  /** Tells what changes from now on. */
  follow(listener: Listener<T>): Disposable;
  /** As `follow`, and tells what is there, in the background. */
  subscribe(listener: Listener<T>): Subscription;
}

/** The view that a declaration asks for. */
export function viewOf<T extends KubeObject>(
  informer: Informer<T>,
  hub: FromHub<T> | true | undefined,
  cluster: string,
): View<T> {
  const clusters = hub === undefined || hub === true ? undefined : hub.clusters;
  return clusters === undefined
    ? new Whole(informer.cache)
    : new Excerpt(informer, clusters, cluster);
}

class Whole<T extends KubeObject> implements View<T> {
  readonly cache: Cache<T>;
  readonly ready: Promise<void> = Promise.resolve();

  constructor(cache: Cache<T>) {
    this.cache = cache;
  }

  get(key: string): T | undefined {
    return this.cache.get(key);
  }

  has(key: string): boolean {
    return this.cache.has(key);
  }

  follow(listener: Listener<T>): Disposable {
    return this.cache.subscribe(listener);
  }

  subscribe(listener: Listener<T>): Subscription {
    return this.cache.subscribe(listener, { replay: true });
  }
}

/** Costs what concerns the cluster: the index finds what is there, one listener for all clusters hands on what changes. */
class Excerpt<T extends KubeObject> implements View<T> {
  readonly cache: Cache<T>;
  readonly ready: Promise<void>;
  readonly #clusters: ClustersOf<T>;
  readonly #cluster: string;

  constructor(informer: Informer<T>, clusters: ClustersOf<T>, cluster: string) {
    this.cache = informer.cache;
    this.#clusters = clusters;
    this.#cluster = cluster;
    this.ready = informer.addIndex(indexOf(clusters), clusters);
    this.ready.catch(() => undefined); // told to who waits for it
  }

  get(key: string): T | undefined {
    const object = this.cache.get(key);
    return object !== undefined && this.#concerns(object) === true ? object : undefined;
  }

  has(key: string): boolean {
    const object = this.cache.get(key);
    return object === undefined ? this.cache.has(key) : this.#concerns(object) !== false;
  }

  follow(listener: Listener<T>): Disposable {
    return distributionOf(this.cache, this.#clusters).add(this.#cluster, listener);
  }

  subscribe(listener: Listener<T>): Subscription {
    const live = this.follow(listener);
    const replay = new Replay(() => this.#replay(listener));
    const replayed = this.ready.then(() => replay.run());
    replayed.catch(() => undefined); // told to who waits for it
    return {
      replayed,
      [Symbol.dispose]: () => {
        live[Symbol.dispose]();
        replay[Symbol.dispose]();
      },
    };
  }

  #replay(listener: (change: CacheChange<T>) => void): Subscription {
    return this.cache.replay(listener, indexOf(this.#clusters), this.#cluster);
  }

  /** Undefined when the declaration's function fails, which the index has logged. */
  #concerns(object: T): boolean | undefined {
    try {
      return this.#clusters(object).includes(this.#cluster);
    } catch {
      return undefined;
    }
  }
}

/** A replay that may be called off before it begins. */
class Replay implements Disposable {
  readonly #begin: () => Subscription;
  #running: Subscription | undefined;
  #over = false;

  constructor(begin: () => Subscription) {
    this.#begin = begin;
  }

  async run(): Promise<void> {
    if (this.#over) return;
    this.#running = this.#begin();
    await this.#running.replayed;
  }

  [Symbol.dispose](): void {
    this.#over = true;
    this.#running?.[Symbol.dispose]();
  }
}
