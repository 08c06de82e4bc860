/** What an inventory tells about the memory that it takes. */

import type { CacheStats, Family, Metrics } from "kopf-ts";

const bytesFamily = {
  name: "drover_api_inventory_bytes",
  help: "Bytes of what is known of all objects, by cluster and what they are of",
  labels: ["cluster", "part"],
} as const satisfies Family;

/** A type, as far as its memory goes. */
export interface Weighty {
  readonly cache: { readonly stats: Pick<CacheStats, "allocated" | "cold" | "columns" | "total"> };
  /** Of what is kept beside the cache. */
  readonly size: number;
}

/** Sums up all types. */
export class InventoryMetrics {
  readonly #metrics: Metrics | undefined;
  readonly #cluster: string;

  constructor(metrics: Metrics | undefined, cluster: string) {
    this.#metrics = metrics;
    this.#cluster = cluster;
  }

  tell(types: Iterable<Weighty>): void {
    const bytes = { columns: 0, rows: 0, groups: 0 };
    for (const { cache, size } of types) {
      const { allocated, cold, columns, total } = cache.stats;
      bytes.columns += columns;
      bytes.rows += total - allocated - cold - columns;
      bytes.groups += size;
    }
    const gauge = this.#metrics?.gauge(bytesFamily);
    for (const [part, count] of Object.entries(bytes)) {
      gauge?.with({ cluster: this.#cluster, part }).set(count);
    }
  }

  /** The cluster has gone. */
  forget(): void {
    this.#metrics?.gauge(bytesFamily).removeAll({ cluster: this.#cluster });
  }
}
