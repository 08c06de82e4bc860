/** What is known of all objects of a cluster, of every type that can be listed and watched, without their bytes (steve: pkg/clustercache, pkg/summarycache). */

import type { Cache } from "kopf-ts";
import type { ResourceType } from "../types/resource-type.ts";

/** How an object is, as relationships tell it. */
export interface Standing {
  /** In lower case: `active`, `running` ... */
  readonly state: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  /** Joined with `; `; perhaps empty. */
  readonly message: string;
}

/** Which object. */
export interface ObjectId {
  readonly typeId: string;
  /** Empty for one outside namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** A relationship that another object says it has with the one that was asked about; the id is the other one's. */
export interface Inbound extends ObjectId {
  /** `owner`, `applies`, `uses` or `helmresource`. */
  readonly rel: string;
  /** The other object names this one as origin: `owner` and `applies`. Shown as `toId` and `toType` then, otherwise as `fromId` and `fromType`. */
  readonly towards: boolean;
  /** How the other object is. */
  readonly standing: Standing;
}

/** Counts of objects; steve counts states `error` and `in-progress` only. */
export interface Tally {
  readonly count: number;
  readonly errors: number;
  readonly transitioning: number;
  /** Those that go on without an error: `in-progress`. */
  readonly inProgress: number;
}

/** The objects of one type. */
export interface TypeInventory {
  readonly type: ResourceType;
  /** False until it has been listed for the first time; what it tells is incomplete before. */
  readonly synced: boolean;
  /** Without bytes: columns `id`, `metadata.name`, `metadata.namespace`, `metadata.creationTimestamp`, `inventory.images`, `inventory.labels`. */
  readonly cache: Cache;
  readonly total: Tally;
  /** By namespace; empty for a type outside namespaces. */
  readonly namespaces: ReadonlyMap<string, Tally>;
  standingOf(namespace: string, name: string): Standing | undefined;
}

/** All types. What it has not listed yet is missing; nothing here waits. */
export interface Inventory {
  /** Undefined for a type that is unknown, cannot be cached, or whose turn has not come. */
  of(typeId: string): TypeInventory | undefined;
  all(): Iterable<TypeInventory>;
  /** Another number when what `standingOf` or `inbound` tell of anything may have changed; not for changes of objects that leave it as it is. */
  readonly revision: number;
  /** How an object is; undefined for one that is not known. */
  standingOf(typeId: string, namespace: string, name: string): Standing | undefined;
  /** What others say of an object, by type and id; costs what it returns. Relationships by selector are not in it, as in Steve. */
  inbound(typeId: string, namespace: string, name: string): readonly Inbound[];
  /**
   * The objects that belong to an object by owner references, at any depth, each once; costs what it finds, and may be read with pauses. Those that do not pass are left
   * out, with what only they lead to.
   */
  descendants(owner: ObjectId, passes?: (object: ObjectId) => boolean): Iterable<ObjectId>;
  /** Calls with the types whose tallies, or whose being there, changed; at most every few milliseconds, in the background. Until disposed. */
  onChange(listener: (typeIds: ReadonlySet<string>) => void): Disposable;
}
