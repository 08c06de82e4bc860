/** What a reconciler gets besides its object. */

import type { EventInput } from "../apply/index.ts";
import type { Clock, Logger } from "../base/index.ts";
import type { Cache } from "../cache/index.ts";
import type { Client, Kind, KubeObject, ObjectRef, SelectorOptions } from "../kube/index.ts";

/** Tells several caches of one kind apart; only what is given is compared. */
export interface CacheChoice extends SelectorOptions {
  readonly metadataOnly?: boolean;
}

/** The cache of a kind that the controller declares. Throws an UndeclaredKind for any other. */
export type CacheAccess = <K extends KubeObject>(kind: Kind<K>, choice?: CacheChoice) => Cache<K>;

/** Thrown when a reconciler reads a kind that its controller does not declare, so that no watch starts by accident. */
export class UndeclaredKind extends Error {
  override readonly name = "UndeclaredKind";
}

/** Tells people what happens to an object, as Kubernetes Events; returns at once. */
export interface ObjectEvents {
  normal(reason: string, message: string): void;
  warning(reason: string, message: string): void;
  /** With every detail, and about another object when one is given. */
  event(event: EventInput, about?: ObjectRef): void;
}

/** The cluster that manages those of a ClusterSet, for a controller of one of them. */
export interface Hub {
  /** As `client` of the context, for the hub. */
  readonly client: Client;
  /** What the controller declares with `hub`. */
  readonly cache: CacheAccess;
}

/** Where a mapping takes place. */
export interface Place {
  /** As `cluster` of the context. */
  readonly cluster: string;
  /** What the controller declares with `hub`. */
  readonly hub: CacheAccess;
}

/** The surroundings of one run. */
export interface Context {
  /**
   * Writes go to the API server under the controller's field manager, end with the run's signal, are refused once that has aborted or the
   * lease is lost, and are awaited by the caches before the key runs again. Reads are live; prefer the cache.
   */
  readonly client: Client;
  readonly cache: CacheAccess;
  /** Throws a TypeError for controllers that have none. */
  readonly hub: Hub;
  readonly clock: Clock;
  /** Adds controller, kind, namespace, name, cluster and reconcileId to each line. */
  readonly log: Logger;
  /** Aborts when the run takes too long and when the controller is stopped at once. */
  readonly signal: AbortSignal;
  readonly events: ObjectEvents;
  /** `namespace/name`, or `name` outside of namespaces. */
  readonly key: string;
  /** Unique per run. */
  readonly reconcileId: string;
  /** Name of the cluster that the object is in; empty for an operator with one cluster. */
  readonly cluster: string;
}
