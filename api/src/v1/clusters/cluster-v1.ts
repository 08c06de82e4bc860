/** What belongs to one cluster: its types, rights, caches and what is kept of all its objects. */

import type { Clock, Logger } from "kopf-ts";
import type { ClusterParts } from "../../parts.ts";
import { RbacAccess } from "../access/index.ts";
import { type CollectionsOptions, TypeCollections } from "../collections/index.ts";
import { Fields } from "../fields/index.ts";
import { LiveInventory } from "../inventory/index.ts";
import { CachedItems } from "../items/index.ts";
import type { ErrorMapping } from "../summary/error-mapping.ts";
import { LiveTypes } from "../types/index.ts";
import type { CacheShares } from "./cache-shares.ts";

/** What it is made with. */
export interface ClusterV1Parts extends ClusterParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Its name in metrics; empty for the server's own, as in the metrics of kopf-ts. */
  readonly cluster: string;
  readonly caches: CacheShares;
  readonly errorMapping: ErrorMapping | undefined;
}

/** Everything that answers about one cluster are made of. */
export class ClusterV1 {
  readonly types: LiveTypes;
  readonly access: RbacAccess;
  readonly inventory: LiveInventory;
  readonly collections: TypeCollections;
  readonly items: CachedItems;
  readonly fields: Fields;
  #signal: AbortSignal | undefined;
  #takesStock = false;

  constructor(parts: ClusterV1Parts, options: CollectionsOptions = {}) {
    const types = new LiveTypes(parts);
    this.types = types;
    this.access = new RbacAccess(parts);
    const { budget, pieces, threads, metrics } = parts.caches;
    this.collections = new TypeCollections({ ...parts, types, budget, metrics }, options);
    const calm = (signal: AbortSignal): Promise<void> => this.collections.calm(signal);
    this.inventory = new LiveInventory({ ...parts, types, calm, metrics });
    const { inventory } = this;
    this.items = new CachedItems({ types, inventory, pieces, threads });
    this.fields = new Fields(parts.clock);
  }

  /** Follows the cluster until the signal aborts; resolves when everything is given back. The inventory waits for `takeStock`. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.access.start(signal);
    if (this.#takesStock) this.inventory.start(signal);
    await Promise.all([this.types.start(signal), this.collections.start(signal)]);
  }

  /** Begins to keep something of all objects, which searches, owners and relationships need: every type is listed once, in the background. */
  takeStock(): void {
    if (this.#takesStock) return;
    this.#takesStock = true;
    if (this.#signal?.aborted === false) this.inventory.start(this.#signal);
  }
}
