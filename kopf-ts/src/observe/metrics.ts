/** What an operator tells about itself, under the names that dashboards for controller-runtime already know. */

import { FirstFew, knownReason } from "./bounds.ts";
import { counters, type Family, gauges, histograms } from "./families.ts";
import type {
  CacheMetrics,
  CacheSource,
  ClientMetrics,
  ControllerMetrics,
  ElectionMetrics,
  QueueGauges,
  QueueRecorder,
  ReconcileOutcome,
  WatchMetrics,
  WebhookMetrics,
} from "./instruments.ts";
import { Registry } from "./registry.ts";
import type { Counter, Gauge, Histogram, Vector } from "./series.ts";
import { once, Sources } from "./sources.ts";

/** Set when they are read, from the sources that observe() was given. */
const queueGauges = [gauges.queueUnfinished, gauges.queueLongest];
const cacheGauges = [gauges.cacheObjects, gauges.cacheBytes, gauges.cacheAge];

/** Values of the label `result`. */
const results = ["success", "requeue_after", "requeue", "error"] as const;

/** client-go counts by HTTP method. */
const methods: Readonly<Record<string, string>> = {
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  apply: "PATCH",
  deletecollection: "DELETE",
};

/** Distinct values of the label `resource` of requests: raw requests may ask for anything, a client of its own kinds for fewer. */
const mostResources = 256;

/** Options of Metrics. */
export interface MetricsOptions {
  /** Adds process and Node.js metrics; true unless told. They cost a timer for the event-loop lag. */
  readonly process?: boolean;
}

/** Names one watched resource; `cluster` is empty for an operator with one cluster. */
export interface ResourceLabels {
  readonly cluster: string;
  /** As resourceName() writes it. */
  readonly resource: string;
}

/**
 * The metrics of one operator, one object per part of it. Guarantees: nothing is shared between two Metrics; the objects may be asked for
 * again and then add to the same series; reading costs nothing until somebody scrapes. Durations come in as milliseconds and go out as
 * seconds.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #queues = new Sources<QueueGauges>((labels) => {
    this.#registry.gauge(gauges.queueDepth).removeAll(labels);
    for (const family of queueGauges) this.#registry.gauge(family).remove(labels);
  });
  readonly #caches = new Sources<CacheSource>((labels) => {
    for (const family of cacheGauges) this.#registry.gauge(family).remove(labels);
  });
  readonly #resources = new FirstFew(mostResources);

  constructor({ process = true }: MetricsOptions = {}) {
    this.#registry.gauge(gauges.queueDepth, () => this.#readQueues());
    this.#registry.gauge(gauges.cacheObjects, () => this.#readCaches());
    for (const family of Object.values(counters)) this.#registry.counter(family);
    for (const family of Object.values(gauges)) this.#registry.gauge(family);
    for (const family of Object.values(histograms)) this.#registry.histogram(family);
    if (process) this.#registry.collectProcess();
  }

  /** A metric of the caller's own; the same name yields the same metric. */
  counter(family: Family): Vector<Counter> {
    return this.#registry.counter(family);
  }

  /** As counter. */
  gauge(family: Family): Vector<Gauge> {
    return this.#registry.gauge(family);
  }

  /** As counter; `buckets` in the unit that the name ends in. */
  histogram(family: Family): Vector<Histogram> {
    return this.#registry.histogram(family);
  }

  /** Queues of one name (a controller that runs once per cluster) add up. */
  queue(name: string, source: QueueGauges): QueueRecorder {
    const labels = { name, controller: name };
    const added = this.#registry.counter(counters.queueAdds).with(labels);
    const retried = this.#registry.counter(counters.queueRetries).with(labels);
    const waited = this.#registry.histogram(histograms.queueTime).with(labels);
    const worked = this.#registry.histogram(histograms.workTime).with(labels);
    const reading = this.#queues.add(labels, source);
    for (const series of [added, retried]) series.inc(0); // there before anything happens, as in controller-runtime
    return {
      added: () => added.inc(),
      started: (duration) => waited.observe(duration / 1000),
      finished: (duration) => worked.observe(duration / 1000),
      retried: () => retried.inc(),
      closed: () => reading[Symbol.dispose](),
    };
  }

  controller(name: string): ControllerMetrics {
    const labels = { controller: name };
    const reconciles = this.#registry.counter(counters.reconciles);
    const errors = this.#registry.counter(counters.reconcileErrors).with(labels);
    const terminal = this.#registry.counter(counters.terminalErrors).with(labels);
    const time = this.#registry.histogram(histograms.reconcileTime).with(labels);
    const active = this.#registry.gauge(gauges.activeWorkers).with(labels);
    const most = this.#registry.gauge(gauges.maxReconciles).with(labels);
    for (const series of [errors, terminal, active]) series.inc(0);
    for (const result of results) reconciles.with({ controller: name, result }).inc(0);
    return {
      workers: (count) => {
        most.inc(count);
        return once(() => most.dec(count));
      },
      started: () => active.inc(),
      finished: (outcome, duration) => {
        active.dec();
        time.observe(duration / 1000);
        reconciles.with({ controller: name, result: resultOf(outcome) }).inc();
        if (isError(outcome)) errors.inc();
        if (outcome === "terminal") terminal.inc();
      },
    };
  }

  watch(of: ResourceLabels): WatchMetrics {
    const labels = pick(of);
    const lists = this.#registry.counter(counters.lists);
    const listTime = this.#registry.histogram(histograms.listTime).with(labels);
    const watches = this.#registry.counter(counters.watches).with(labels);
    const bytes = this.#registry.counter(counters.watchBytes).with(labels);
    const events = this.#registry.counter(counters.watchEvents);
    const failures = this.#registry.counter(counters.watchFailures);
    return {
      listed: (mode, duration) => {
        lists.with({ ...labels, mode }).inc();
        listTime.observe(duration / 1000);
      },
      opened: () => watches.inc(),
      received: (count) => bytes.inc(count),
      event: (type) => events.with({ ...labels, type }).inc(),
      failed: (reason) => failures.with({ ...labels, reason: knownReason(reason) }).inc(),
    };
  }

  cache(of: ResourceLabels): CacheMetrics {
    const labels = pick(of);
    const audits = this.#registry.counter(counters.audits).with(labels);
    const healed = this.#registry.counter(counters.healed).with(labels);
    return {
      observe: (source) => this.#caches.add(labels, source),
      audited: (count) => {
        audits.inc();
        healed.inc(count);
      },
    };
  }

  /** `host` as in the server's URL, with its port. */
  client(host: string): ClientMetrics {
    const requests = this.#registry.counter(counters.requests);
    const time = this.#registry.histogram(histograms.requestTime);
    const byResource = this.#registry.counter(counters.resourceRequests);
    return {
      observe: (verb, status, resource, seconds) => {
        const code = status === 0 ? "<error>" : String(status);
        const method = methods[verb] ?? verb.toUpperCase();
        requests.with({ code, method, host }).inc();
        time.with({ verb: method, host }).observe(seconds);
        byResource.with({ verb, resource: this.#resources.admit(resource), code }).inc();
      },
    };
  }

  election(name: string): ElectionMetrics {
    const leading = this.#registry.gauge(gauges.leading).with({ name });
    const slow = this.#registry.counter(counters.slowPaths).with({ name });
    leading.set(0);
    return { leading: (leads) => leading.set(leads ? 1 : 0), slowPath: () => slow.inc() };
  }

  /** One admission webhook, named by its path. */
  webhook(path: string): WebhookMetrics {
    const labels = { webhook: path };
    const requests = this.#registry.counter(counters.webhookRequests);
    const time = this.#registry.histogram(histograms.webhookTime).with(labels);
    const inFlight = this.#registry.gauge(gauges.webhooksInFlight).with(labels);
    inFlight.set(0);
    for (const code of ["200", "500"]) requests.with({ ...labels, code }).inc(0); // as controller-runtime
    return {
      started: () => inFlight.inc(),
      finished: (code, duration) => {
        inFlight.dec();
        time.observe(duration / 1000);
        requests.with({ ...labels, code: String(code) }).inc();
      },
    };
  }

  /** Drops every series of a cluster that is gone, and those of its host when that is given. */
  forget({ cluster, host }: { readonly cluster: string; readonly host?: string }): void {
    this.#registry.removeAll({ cluster });
    if (host !== undefined) this.#registry.removeAll({ host });
  }

  /** Everything in the text form of Prometheus. */
  text(): Promise<string> {
    return this.#registry.text();
  }

  /** What `text` is, for a Content-Type header. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Names of all metrics. */
  names(): readonly string[] {
    return this.#registry.names();
  }

  #readQueues(): void {
    const depth = this.#registry.gauge(gauges.queueDepth);
    const unfinished = this.#registry.gauge(gauges.queueUnfinished);
    const longest = this.#registry.gauge(gauges.queueLongest);
    for (const { labels, sources } of this.#queues.groups()) {
      depth.removeAll(labels); // a priority that nobody waits at has no series, but for the normal one
      depth.with({ ...labels, priority: "0" }).set(0);
      for (const [priority, waiting] of sources.flatMap((source) => [...source.depths()])) {
        depth.with({ ...labels, priority: String(priority) }).inc(waiting);
      }
      unfinished.with(labels).set(sum(sources.map((each) => each.unfinishedWork())) / 1000);
      longest.with(labels).set(Math.max(0, ...sources.map((each) => each.longestRunning())) / 1000);
    }
  }

  #readCaches(): void {
    const objects = this.#registry.gauge(gauges.cacheObjects);
    const bytes = this.#registry.gauge(gauges.cacheBytes);
    const age = this.#registry.gauge(gauges.cacheAge);
    for (const { labels, sources } of this.#caches.groups()) {
      objects.with(labels).set(sum(sources.map((source) => source.objects)));
      bytes.with(labels).set(sum(sources.map((source) => source.bytes)));
      age.with(labels).set(Math.max(0, ...sources.map((source) => source.age)) / 1000);
    }
  }
}

function pick({ cluster, resource }: ResourceLabels): { cluster: string; resource: string } {
  return { cluster, resource };
}

function isError(outcome: ReconcileOutcome): boolean {
  return outcome === "error" || outcome === "terminal";
}

/** controller-runtime counts an error that is not retried as an error. */
function resultOf(outcome: ReconcileOutcome): string {
  return isError(outcome) ? "error" : outcome;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
