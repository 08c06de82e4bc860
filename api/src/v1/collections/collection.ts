/** The objects of one type of one cluster, as lists, watches and searches read them. */

import type { Cache, ColumnSpec } from "kopf-ts";
import type { ResourceType } from "../types/resource-type.ts";

/** A share of a type's cache. While somebody holds one, its bytes stay. */
export interface Collection extends Disposable {
  readonly type: ResourceType;
  /** Synced, with managedFields packed. */
  readonly cache: Cache;
  /** Adds columns that queries need; resolves when they can be used. Once added they stay while the type's cache does. */
  need(columns: readonly ColumnSpec[]): Promise<void>;
  /** Changes of all types of the cluster come at once until disposed, since items tell of others as well; else they may gather for some milliseconds. */
  follow(): Disposable;
  /** Aborts when the cache goes because the type changed or vanished; hold no longer. */
  readonly gone: AbortSignal;
}

/** The caches of all types of one cluster, made on first use, let go when idle, bounded together. */
export interface Collections {
  /** Resolves when the type's cache is synced. Rejects with a Problem (503) when it cannot be listed in time, with the signal's reason when that aborts first. */
  use(type: ResourceType, signal: AbortSignal): Promise<Collection>;
}
