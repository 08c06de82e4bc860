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
  | { readonly phase: "disengaging" };

/** Where a cluster is and how to prove who we are; a function is asked again after each failure. */
export type ClusterSource =
  | ClusterConfig
  | ((signal: AbortSignal) => ClusterConfig | Promise<ClusterConfig>);
