import type { EventRecorder } from "../apply/index.ts";
import type { Informers } from "../cache/index.ts";
import type { Client, ClusterConfig } from "../kube/index.ts";

/** One cluster of a ClusterSet, for as long as it is engaged. */
export interface Cluster {
  readonly name: string;
  readonly client: Client;
  readonly informers: Informers;
  readonly events: EventRecorder;
  /** Aborts when the cluster is disengaged, or begun anew after a failure. */
  readonly signal: AbortSignal;
}

/** How far a cluster is. */
export type ClusterState =
  /** `reason` says what it waits for, once that is known. */
  | { readonly phase: "engaging"; readonly reason?: string }
  /** Its controllers run. */
  | { readonly phase: "ready" }
  /**
   * Its controllers run, but the server has not answered (or refused our credentials) since `since`, wall time in milliseconds: caches are as
   * old as that. Becomes `ready` again by itself.
   */
  | { readonly phase: "unreachable"; readonly since: number; readonly reason: string }
  | { readonly phase: "disengaging" };

/** The hub itself: a cluster with the client, caches and Events of the hub, which outlive it. */
export const hubSource: unique symbol = Symbol("hub");

/** How a cluster is reached. */
export type ClusterAddress = typeof hubSource | ClusterConfig;

/**
 * Where a cluster is and how to prove who we are. A function is asked again whenever the cluster cannot be reached with its last answer, refuses
 * it, or has long been silent; it may ignore its signal.
 */
export type ClusterSource =
  | typeof hubSource
  | ClusterConfig
  | ((signal: AbortSignal) => ClusterConfig | Promise<ClusterConfig>);
