/** What each layer reports about itself. The layers know only these; `Metrics` turns them into series. Times are milliseconds. */

/** One work queue. */
export interface QueueMetrics {
  added(): void;
  /** A key went to a worker after `waited` in the queue. */
  taken(waited: number): void;
  /** A worker gave a key back after `worked`. */
  finished(worked: number): void;
  /** A key was put back behind its back-off. */
  retried(): void;
  /** Names where to read the present state whenever somebody asks for metrics; disposing it ends that. */
  observe(source: QueueSource): Disposable;
}

/** The present state of a queue. */
export interface QueueSource {
  /** Keys that are due and wait for a worker. */
  readonly depth: number;
  /** How long each key in work has been so. */
  running(): Iterable<number>;
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
  /** An attempt failed; `reason` as in WatchState. */
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
  /** `code` is the HTTP status, or `<error>` when no answer came; `duration` until the head of the answer. */
  request(method: string, code: string, duration: number): void;
  retried(reason: string): void;
}

/** One election. */
export interface ElectionMetrics {
  leading(leads: boolean): void;
  /** The lease had to be read before it could be renewed. */
  slowPath(): void;
}
