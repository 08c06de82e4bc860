import type { Clock, Informers, Logger, Metrics } from "kopf-ts";
import { notListable, problem } from "../problem.ts";
import { isSameResource, type ResourceType, type Types } from "../types/resource-type.ts";
import { CacheBudget, type Spendable } from "./cache-budget.ts";
import { CollectionMetrics, type DropReason } from "./cache-metrics.ts";
import type { Collection, Collections } from "./collection.ts";
import { type CollectionsOptions, type Settled, settle } from "./options.ts";
import { Precedence } from "./precedence.ts";
import type { Weighed } from "./surplus.ts";
import { TypeCache } from "./type-cache.ts";

/** What TypeCollections are made with. */
export interface CollectionsParts {
  readonly informers: Informers;
  readonly types: Pick<Types, "find" | "onChange">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
  /** Its name in metrics; empty unless told, for the server's own. */
  readonly cluster?: string | undefined;
  /** Of all clusters; one of its own unless told. */
  readonly budget?: CacheBudget | undefined;
}

/**
 * The caches of all types of one cluster (steve: pkg/sqlcache/informer/factory). Guarantees: a type is listed when it is first used, once for
 * all who ask; nobody waits longer than the patience, and for no other type; bytes go when a type is idle, and of the least recently used ones when those of all clusters
 * are too large together, never while somebody uses them; a type that changes is made anew, and no other, without a new list where its objects are the same.
 */
export class TypeCollections implements Collections {
  readonly #parts: CollectionsParts;
  readonly #options: Settled;
  readonly #metrics: CollectionMetrics;
  readonly #budget: CacheBudget;
  readonly #caches = new Map<string, TypeCache>();
  /** Caches of types that have changed, until they have given everything back. */
  readonly #retiring = new Map<string, Promise<void>>();
  readonly #precedence: Precedence;
  #isOver = false;

  constructor(parts: CollectionsParts, options: CollectionsOptions = {}) {
    this.#parts = parts;
    this.#options = settle(options);
    this.#metrics = new CollectionMetrics(parts.metrics, parts.cluster ?? "");
    this.#budget = parts.budget ?? new CacheBudget(parts);
    this.#precedence = new Precedence(parts.clock);
  }

  /** Follows the types and looks after the caches until the signal aborts; then everything is given back. Never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    const { types, clock } = this.#parts;
    using _changes = types.onChange((ids) => this.#changed(ids));
    using _bytes = this.#budget.count(() => this.#weighed());
    while (!signal.aborted) {
      await clock.sleep(this.#options.look, signal).catch(() => undefined);
      if (!signal.aborted) this.#look();
    }
    this.#isOver = true;
    for (const cache of this.#caches.values()) cache.end();
    this.#caches.clear();
    this.#metrics.tell([]);
    await Promise.all(this.#retiring.values());
  }

  async use(type: ResourceType, signal: AbortSignal): Promise<Collection> {
    signal.throwIfAborted();
    if (!type.verbs.includes("list")) throw notListable(type.id);
    const cache = this.#cacheOf(type);
    if (cache.hasArrived) return cache.share();
    const isNew = !cache.holdsBytes;
    using _ = this.#precedence.wait();
    const collection = await cache.use(signal);
    if (isNew) this.#budget.fit();
    return collection;
  }

  /** Resolves when nobody waits for a type, after ten seconds, or when the signal aborts: for work that nobody waits for. */
  calm(signal: AbortSignal): Promise<void> {
    return this.#precedence.calm(signal);
  }

  /** The cache of a type as it is now, which a caller may not have heard of yet. */
  #cacheOf(asked: ResourceType): TypeCache {
    if (this.#isOver) throw problem("ClusterUnavailable", "the server is stopping");
    const type = this.#parts.types.find(asked.id);
    if (type?.id !== asked.id) throw problem("NotFound", `type "${asked.id}" not found`);
    const known = this.#caches.get(type.id);
    if (known?.type === type) return known;
    if (known !== undefined) this.#retire(known);
    return this.#caches.get(type.id) ?? this.#make(type);
  }

  #make(type: ResourceType): TypeCache {
    const { informers, clock } = this.#parts;
    const after = this.#retiring.get(type.id) ?? Promise.resolve();
    const cache = new TypeCache(type, { informers, clock, options: this.#options, after });
    this.#caches.set(type.id, cache);
    return cache;
  }

  #changed(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      const known = this.#caches.get(id);
      if (known !== undefined && this.#parts.types.find(id) !== known.type) this.#retire(known);
    }
  }

  #retire(cache: TypeCache): void {
    const { id } = cache.type;
    this.#caches.delete(id);
    this.#metrics.dropped("changed");
    const gone = Promise.withResolvers<void>();
    const retired = Promise.all([this.#retiring.get(id), gone.promise]).then(() => {
      if (this.#retiring.get(id) === retired) this.#retiring.delete(id);
    });
    this.#retiring.set(id, retired);
    this.#handOver(cache);
    void cache.retire().then(gone.resolve);
  }

  /** Where the objects are the same, and somebody has them or waits for them, the next cache shares the list before this one lets go of it. */
  #handOver(cache: TypeCache): void {
    const next = this.#parts.types.find(cache.type.id);
    if (next?.id !== cache.type.id || !cache.holdsBytes || !isSameResource(next, cache.type))
      return;
    this.#make(next).takeOver(cache);
  }

  #look(): void {
    for (const cache of this.#caches.values()) {
      if (cache.users > 0 || cache.idle < this.#options.idle) continue;
      if (cache.isCostly) this.#end(cache, "idle");
      else if (cache.holdsBytes) this.#drop(cache, "idle");
    }
    this.#budget.fit();
    this.#metrics.tell(this.#caches.values());
  }

  #weighed(): readonly Spendable[] {
    return [...this.#caches.values()].map((cache) => ({
      ...weigh(cache),
      drop: () => this.#drop(cache, "memory"),
      end: () => this.#end(cache, "memory"),
    }));
  }

  #drop(cache: TypeCache, reason: DropReason): void {
    this.#parts.log.debug("the bytes of a type were dropped", { type: cache.type.id, reason });
    cache.drop();
    this.#metrics.dropped(reason);
  }

  #end(cache: TypeCache, reason: DropReason): void {
    this.#parts.log.debug("the cache of a type was ended", { type: cache.type.id, reason });
    this.#caches.delete(cache.type.id);
    cache.end();
    this.#metrics.dropped(reason);
  }
}

function weigh(cache: TypeCache): Weighed {
  const { allocated, cold, total } = cache.stats;
  const bytes = allocated + cold;
  const objects = cache.ownsBytes ? bytes : 0;
  return { isUsed: cache.users > 0, idle: cache.idle, objects, rest: total - bytes };
}
