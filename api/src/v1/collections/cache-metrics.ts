/** What the caches of the API tell about themselves. */

import { type Family, type Metrics, resourceName } from "kopf-ts";
import type { TypeCache } from "./type-cache.ts";

const families = {
  bytes: {
    name: "drover_api_cache_bytes",
    help: "Bytes of the API's caches by resource and what they are of",
    labels: ["resource", "part"],
  },
  objects: {
    name: "drover_api_cache_objects",
    help: "Objects in the API's caches",
    labels: ["resource"],
  },
  users: {
    name: "drover_api_cache_users",
    help: "Requests and subscriptions that use the cache of a resource now",
    labels: ["resource"],
  },
  limit: {
    name: "drover_api_cache_limit_bytes",
    help: "Bytes that all caches of the API may have together",
    labels: [],
  },
  dropped: {
    name: "drover_api_cache_drops_total",
    help: "How often caches of the API gave their bytes back, by reason",
    labels: ["reason"],
  },
} as const satisfies Readonly<Record<string, Family>>;

const parts = ["objects", "managed_fields", "columns", "rows"] as const;

/** Why a cache gave something back. */
export type DropReason = "idle" | "memory" | "changed";

/** Tells of caches, as of the last look at them. */
export class CollectionMetrics {
  readonly #metrics: Metrics | undefined;
  #told = new Set<string>();

  constructor(metrics: Metrics | undefined, limit: number) {
    this.#metrics = metrics;
    metrics?.gauge(families.limit).with().set(limit);
    for (const reason of ["idle", "memory", "changed"] satisfies DropReason[]) {
      metrics?.counter(families.dropped).with({ reason }).inc(0);
    }
  }

  dropped(reason: DropReason): void {
    this.#metrics?.counter(families.dropped).with({ reason }).inc();
  }

  /** Series of caches that are no more go. */
  tell(caches: Iterable<TypeCache>): void {
    const metrics = this.#metrics;
    if (metrics === undefined) return;
    const before = this.#told;
    this.#told = new Set();
    for (const cache of caches) {
      const resource = resourceName(cache.type.kind);
      this.#told.add(resource);
      tellOne(metrics, resource, cache);
    }
    for (const resource of before) if (!this.#told.has(resource)) forget(metrics, resource);
  }
}

function tellOne(metrics: Metrics, resource: string, { stats, users }: TypeCache): void {
  const { allocated: objects, cold, columns, total } = stats;
  const rows = total - objects - cold - columns;
  const bytes = { objects, managed_fields: cold, columns, rows };
  for (const part of parts) metrics.gauge(families.bytes).with({ resource, part }).set(bytes[part]);
  metrics.gauge(families.objects).with({ resource }).set(stats.objects);
  metrics.gauge(families.users).with({ resource }).set(users);
}

function forget(metrics: Metrics, resource: string): void {
  for (const family of [families.bytes, families.objects, families.users]) {
    metrics.gauge(family).removeAll({ resource });
  }
}
