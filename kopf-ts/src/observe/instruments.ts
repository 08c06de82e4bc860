/** What each layer reports about itself. The layers know only these; `Metrics` turns them into series. Times are milliseconds. */

/** The present state of a queue, read when somebody asks for metrics. */
export interface QueueGauges {
  /** Keys that are due and wait for a worker, by priority. */
  depths(): Iterable<readonly [priority: number, depth: number]>;
  /** How long the keys in work have been so, added up. */
  unfinishedWork(): number;
  longestRunning(): number;
}

/** What happens in one queue. */
export interface QueueRecorder {
  added(): void;
  /** A key went to a worker that had been due for `waited`. */
  started(waited: number): void;
  finished(worked: number): void;
  /** A key was put back behind its back-off. */
  retried(): void;
  /** The queue is no more; its gauges are not read again. */
  closed(): void;
}

/** How one run of a reconciler ended; `terminal` is a PermanentError. */
export type ReconcileOutcome = "success" | "requeue_after" | "requeue" | "error" | "terminal";

/** One controller. */
export interface ControllerMetrics {
  /** How many keys it may have in work at once; summed over the clusters it runs for. */
  workers(count: number): Disposable;
  started(): void;
  finished(outcome: ReconcileOutcome, duration: number): void;
}

/** The list and watch of one resource in one cluster. */
export interface WatchMetrics {
  /** A list was asked for: streamed, or in pages. */
  listed(mode: "stream" | "pages", duration: number, items: number): void;
  /** A watch request was opened; every one after the first is a restart. */
  opened(): void;
  received(bytes: number): void;
  event(type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"): void;
  /** An attempt failed; `reason` as in WatchState. One that only this server knows counts as `Other`. */
  failed(reason: string): void;
}

/** The store of one resource in one cluster. */
export interface CacheMetrics {
  observe(source: CacheSource): Disposable;
  /** The audit compared the store with the server; `healed` objects were wrong. */
  audited(healed: number): void;
}

/** The present state of a store. */
export interface CacheSource {
  readonly objects: number;
  /** Of object data, without indexes. */
  readonly bytes: number;
  /** Since the server last told how far the store has come. */
  readonly age: number;
}

/** Requests to one API server. */
export interface ClientMetrics {
  /** An attempt: Kubernetes' verb (or a lower-case method), HTTP status (0 without an answer), `pods` or `deployments.apps` or empty. */
  observe(verb: string, code: number, resource: string, seconds: number): void;
}

/** One election. */
export interface ElectionMetrics {
  leading(leads: boolean): void;
  /** The lease had to be read before it could be renewed. */
  slowPath(): void;
}

/** One admission webhook. */
export interface WebhookMetrics {
  started(): void;
  /** A request was answered with this HTTP status. */
  finished(code: number, duration: number): void;
}
