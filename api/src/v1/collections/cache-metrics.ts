/** What the caches of the API tell about themselves. */

import { type Family, type Metrics, resourceName } from "kopf-ts";
import type { TypeCache } from "./type-cache.ts";

const families = {
  bytes: {
    name: "drover_api_cache_bytes",
    help: "Bytes of the API's caches by cluster, resource and what they are of",
    labels: ["cluster", "resource", "part"],
  },
  objects: {
    name: "drover_api_cache_objects",
    help: "Objects in the API's caches",
    labels: ["cluster", "resource"],
  },
  users: {
    name: "drover_api_cache_users",
    help: "Requests and subscriptions that use the cache of a resource now",
    labels: ["cluster", "resource"],
  },
  dropped: {
    name: "drover_api_cache_drops_total",
    help: "How often caches of the API gave their bytes back, by cluster and reason",
    labels: ["cluster", "reason"],
  },
} as const satisfies Readonly<Record<string, Family>>;

const parts = ["objects", "managed_fields", "columns", "rows"] as const;

interface ResourceLabels {
  readonly cluster: string;
  readonly resource: string;
}

/** Why a cache gave something back. */
export type DropReason = "idle" | "memory" | "changed";

/** Tells of the caches of a cluster, as of the last look at them. */
export class CollectionMetrics {
  readonly #metrics: Metrics | undefined;
  readonly #cluster: string;
  #told = new Set<string>();

  /** The cluster is empty for the server's own, as in the metrics of kopf-ts. */
  constructor(metrics: Metrics | undefined, cluster: string) {
    this.#metrics = metrics;
    this.#cluster = cluster;
    for (const reason of ["idle", "memory", "changed"] satisfies DropReason[]) {
      metrics?.counter(families.dropped).with({ cluster, reason }).inc(0);
    }
  }

  dropped(reason: DropReason): void {
    const cluster = this.#cluster;
    this.#metrics?.counter(families.dropped).with({ cluster, reason }).inc();
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
      tellOne(metrics, { cluster: this.#cluster, resource }, cache);
    }
    for (const resource of before) {
      if (!this.#told.has(resource)) forget(metrics, { cluster: this.#cluster, resource });
    }
  }
}

function tellOne(metrics: Metrics, of: ResourceLabels, { stats, users }: TypeCache): void {
  const { allocated: objects, cold, columns, total } = stats;
  const rows = total - objects - cold - columns;
  const bytes = { objects, managed_fields: cold, columns, rows };
  for (const part of parts)
    metrics
      .gauge(families.bytes)
      .with({ ...of, part })
      .set(bytes[part]);
  metrics
    .gauge(families.objects)
    .with({ ...of })
    .set(stats.objects);
  metrics
    .gauge(families.users)
    .with({ ...of })
    .set(users);
}

function forget(metrics: Metrics, of: ResourceLabels): void {
  for (const family of [families.bytes, families.objects, families.users]) {
    metrics.gauge(family).removeAll({ ...of });
  }
}
