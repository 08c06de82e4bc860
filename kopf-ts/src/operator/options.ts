import type { AdmissionOptions } from "../admission/index.ts";
import type { Clock, Logger } from "../base/index.ts";
import type { Informers } from "../cache/index.ts";
import type { Controller } from "../control/index.ts";
import type { ElectionOptions } from "../election/index.ts";
import type { Client } from "../kube/index.ts";
import type { HealthChecks, Metrics } from "../observe/index.ts";
import type { Task, TaskContext } from "./task.ts";

/** A controller of any kind: its functions only ever get objects of its own. */
// biome-ignore lint/suspicious/noExplicitAny: functions of differing kinds have no other common type
export type AnyController = Controller<any>;

/** Who stands for election, and how. */
export interface OperatorElection
  extends Omit<ElectionOptions, "clock" | "logger" | "metrics" | "events"> {
  /** Connections of the election's own, so that renewals never queue behind other requests; the operator's client unless told. */
  readonly client?: Client;
}

/** Options of Operator. */
export interface OperatorOptions {
  /** Names the operator in Events, for example `drover` or `example.com/operator`. */
  readonly name: string;
  /** Whoever made it disposes it, after `start` has resolved. */
  readonly client: Client;
  /** Run on the leader alone (or here, without an election). */
  readonly controllers?: readonly AnyController[];
  /** Run on every replica. */
  readonly everywhere?: readonly AnyController[];
  readonly tasks?: readonly Task[];
  /** Webhooks to serve, on every replica; the leader writes their configurations and renews their certificates. */
  readonly admission?: AdmissionOptions;
  /**
   * Makes what everything else stands on, such as CRDs: on every replica, once the API server answers and webhooks listen, before caches fill.
   * Tried again until it succeeds, after 1 s up to 30 s; what it did before must do no harm twice. Its signal aborts when the operator stops.
   */
  readonly prepare?: (context: TaskContext) => Promise<void>;
  /** Without one, this process takes itself for the only one. */
  readonly election?: OperatorElection;
  /** `host:port` of /metrics, /healthz and /readyz; none unless told. */
  readonly metricsAddr?: string;
  readonly metrics?: Metrics;
  readonly health?: HealthChecks;
  /** Caches that others use too; the operator's own unless told, which it disposes. */
  readonly informers?: Informers;
  /** Comes before each controller's name in its field manager; the operator's name and a hyphen unless told. */
  readonly fieldManagerPrefix?: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /**
   * Milliseconds for which a cache that the controllers read may fail to follow the server before /readyz fails; 120,000 unless told, never for
   * false.
   */
  readonly staleAfter?: number | false;
  /**
   * Milliseconds that the whole stop may take, from the abort of the signal to the end of `start`; 25,000 unless told: less than the 30 s after
   * which Kubernetes kills a Pod. Reconciliations and tasks get 56 % of it to end by themselves.
   */
  readonly stopTimeout?: number;
}
