/**
 * The metrics every operator has, as data. Names, labels and buckets are those of controller-runtime (pkg/internal/controller/metrics,
 * pkg/internal/metrics/workqueue.go, pkg/webhook/internal/metrics) and of client-go's users (component-base: metrics/prometheus/restclient); `kopf_*` are ours.
 */

/** One metric with all its series. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, in the unit that the name ends in. */
  readonly buckets?: readonly number[];
}

/** Bounds from `start`, each `factor` times the one before. */
function growing(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => start * factor ** index);
}

const reconcileSeconds: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const requestSeconds: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const listSeconds: readonly number[] = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const queueSeconds = growing(10e-9, 10, 12);
const webhookSeconds = growing(10e-9, 10, 12);

const controller = ["controller"];
const queue = ["name", "controller"];
const resource = ["cluster", "resource"];
const webhook = ["webhook"];

type CounterName =
  | "reconciles"
  | "reconcileErrors"
  | "terminalErrors"
  | "queueAdds"
  | "queueRetries"
  | "requests"
  | "resourceRequests"
  | "slowPaths"
  | "lists"
  | "watches"
  | "watchBytes"
  | "watchEvents"
  | "watchFailures"
  | "audits"
  | "healed"
  | "webhookRequests";

/** Only go up. */
export const counters: Readonly<Record<CounterName, Family>> = {
  reconciles: {
    name: "controller_runtime_reconcile_total",
    help: "Total number of reconciliations per controller",
    labels: ["controller", "result"],
  },
  reconcileErrors: {
    name: "controller_runtime_reconcile_errors_total",
    help: "Total number of reconciliation errors per controller",
    labels: controller,
  },
  terminalErrors: {
    name: "controller_runtime_terminal_reconcile_errors_total",
    help: "Total number of reconciliation errors that are not retried per controller",
    labels: controller,
  },
  queueAdds: {
    name: "workqueue_adds_total",
    help: "Total number of adds handled by workqueue",
    labels: queue,
  },
  queueRetries: {
    name: "workqueue_retries_total",
    help: "Total number of retries handled by workqueue",
    labels: queue,
  },
  requests: {
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host",
    labels: ["code", "method", "host"],
  },
  resourceRequests: {
    name: "kopf_client_requests_total",
    help: "Number of API requests by verb, resource and status code",
    labels: ["verb", "resource", "code"],
  },
  slowPaths: {
    name: "leader_election_slowpath_total",
    help: "Total number of renewals that had to read the lease first",
    labels: ["name"],
  },
  lists: {
    name: "kopf_reflector_lists_total",
    help: "Completed lists, streamed or in pages",
    labels: ["cluster", "resource", "mode"],
  },
  watches: {
    name: "kopf_reflector_watches_total",
    help: "Watch requests opened; every one after the first is a restart",
    labels: resource,
  },
  watchBytes: {
    name: "kopf_reflector_received_bytes_total",
    help: "Bytes received by lists and watches",
    labels: resource,
  },
  watchEvents: {
    name: "kopf_reflector_events_total",
    help: "Watch events by type",
    labels: ["cluster", "resource", "type"],
  },
  watchFailures: {
    name: "kopf_reflector_failures_total",
    help: "Attempts to list or watch that failed, by reason",
    labels: ["cluster", "resource", "reason"],
  },
  audits: {
    name: "kopf_cache_audits_total",
    help: "Comparisons of a cache with the server",
    labels: resource,
  },
  healed: {
    name: "kopf_cache_healed_objects_total",
    help: "Objects that an audit found stale, missing or left over",
    labels: resource,
  },
  webhookRequests: {
    name: "controller_runtime_webhook_requests_total",
    help: "Total number of admission requests by HTTP status code",
    labels: ["webhook", "code"],
  },
};

type GaugeName =
  | "maxReconciles"
  | "activeWorkers"
  | "queueDepth"
  | "queueUnfinished"
  | "queueLongest"
  | "leading"
  | "cacheObjects"
  | "cacheBytes"
  | "cacheAge"
  | "webhooksInFlight";

/** Go up and down. */
export const gauges: Readonly<Record<GaugeName, Family>> = {
  maxReconciles: {
    name: "controller_runtime_max_concurrent_reconciles",
    help: "Maximum number of concurrent reconciles per controller",
    labels: controller,
  },
  activeWorkers: {
    name: "controller_runtime_active_workers",
    help: "Number of currently used workers per controller",
    labels: controller,
  },
  queueDepth: {
    name: "workqueue_depth",
    help: "Current depth of workqueue by workqueue and priority",
    labels: ["name", "controller", "priority"],
  },
  queueUnfinished: {
    name: "workqueue_unfinished_work_seconds",
    help: "Seconds of work in progress that work_duration has not observed yet",
    labels: queue,
  },
  queueLongest: {
    name: "workqueue_longest_running_processor_seconds",
    help: "How many seconds the longest running processor of workqueue has been running",
    labels: queue,
  },
  leading: {
    name: "leader_election_master_status",
    help: "Whether this process holds the lease: 0 indicates backup, 1 indicates master",
    labels: ["name"],
  },
  cacheObjects: {
    name: "kopf_cache_objects",
    help: "Objects in the cache",
    labels: resource,
  },
  cacheBytes: {
    name: "kopf_cache_bytes",
    help: "Bytes of object data in the cache",
    labels: resource,
  },
  cacheAge: {
    name: "kopf_cache_resource_version_age_seconds",
    help: "Seconds since the server last told how far the cache has come",
    labels: resource,
  },
  webhooksInFlight: {
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Current number of admission requests being served",
    labels: webhook,
  },
};

type HistogramName =
  | "reconcileTime"
  | "queueTime"
  | "workTime"
  | "requestTime"
  | "listTime"
  | "webhookTime";

/** Distributions. */
export const histograms: Readonly<Record<HistogramName, Family>> = {
  reconcileTime: {
    name: "controller_runtime_reconcile_time_seconds",
    help: "Length of time per reconciliation per controller",
    labels: controller,
    buckets: reconcileSeconds,
  },
  queueTime: {
    name: "workqueue_queue_duration_seconds",
    help: "How long in seconds an item stays in workqueue before being requested",
    labels: queue,
    buckets: queueSeconds,
  },
  workTime: {
    name: "workqueue_work_duration_seconds",
    help: "How long in seconds processing an item from workqueue takes",
    labels: queue,
    buckets: queueSeconds,
  },
  requestTime: {
    name: "rest_client_request_duration_seconds",
    help: "Request latency in seconds, broken down by verb and host",
    labels: ["verb", "host"],
    buckets: requestSeconds,
  },
  listTime: {
    name: "kopf_reflector_list_duration_seconds",
    help: "How long a full list took",
    labels: resource,
    buckets: listSeconds,
  },
  webhookTime: {
    name: "controller_runtime_webhook_latency_seconds",
    help: "Histogram of the latency of processing admission requests",
    labels: webhook,
    buckets: webhookSeconds,
  },
};
