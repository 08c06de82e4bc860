/** The only module that knows prom-client. */

import { createRequire } from "node:module";
import type * as Prometheus from "prom-client";
import type { Family } from "./families.ts";

/** Values of a metric's labels, by name. */
export type Labels = Readonly<Record<string, string>>;

/** One series of a counter. */
export interface Counter {
  inc(by?: number): void;
}

/** One series of a gauge. */
export interface Gauge {
  set(value: number): void;
  inc(by?: number): void;
  dec(by?: number): void;
}

/** One series of a histogram. */
export interface Histogram {
  observe(value: number): void;
}

/** A metric and its series. */
export interface Vector<Series> {
  /** The series with these label values; made when first asked for. */
  with(labels?: Labels): Series;
  /** Forgets the series with these label values. */
  remove(labels: Labels): void;
  /** Forgets every series that carries these label values, whatever its others. A series that is still held and used comes back. */
  removeAll(labels: Labels): void;
}

/** What prom-client's constructors take. */
interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  readonly registers: Prometheus.Registry[];
}

/**
 * The metrics of one operator. Two registries share nothing, so two operators can live in one process. Asking twice for a name yields the
 * same metric; asking for it as another type or with other labels throws. prom-client is loaded with the first registry (22 ms, 3 MB),
 * not with kopf-ts.
 */
export class Registry {
  readonly #prometheus: typeof Prometheus;
  readonly #registry: Prometheus.Registry;
  readonly #counters = new Families<Counter>();
  readonly #gauges = new Families<Gauge>();
  readonly #histograms = new Families<Histogram>();

  constructor() {
    const load: (name: string) => typeof Prometheus = createRequire(import.meta.url);
    this.#prometheus = load("prom-client");
    this.#registry = new this.#prometheus.Registry();
  }

  counter(family: Family): Vector<Counter> {
    return this.#counters.get(family, () => {
      const metric = new this.#prometheus.Counter(this.#options(family));
      return new Series(
        (labels) => metric.labels(labels),
        (labels) => metric.remove(labels),
      );
    });
  }

  /** `collect` runs before the metric is read, to set what is only known then; only the first caller's counts. */
  gauge(family: Family, collect?: () => void): Vector<Gauge> {
    return this.#gauges.get(family, () => {
      const options = this.#options(family);
      const metric = new this.#prometheus.Gauge(collect ? { ...options, collect } : options);
      return new Series(
        (labels) => metric.labels(labels),
        (labels) => metric.remove(labels),
      );
    });
  }

  histogram(family: Family): Vector<Histogram> {
    return this.#histograms.get(family, () => {
      const buckets = family.buckets ? { buckets: [...family.buckets] } : {};
      const metric = new this.#prometheus.Histogram({ ...this.#options(family), ...buckets });
      return new Series(
        (labels) => metric.labels(labels),
        (labels) => metric.remove(labels),
      );
    });
  }

  /** Adds what prom-client knows of the process: CPU, memory, handles, event-loop lag, garbage collection. */
  collectProcess(): void {
    this.#prometheus.collectDefaultMetrics({ register: this.#registry });
  }

  /** Everything in the text form of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Names of all metrics, in the order they were made. */
  names(): readonly string[] {
    return this.#registry.getMetricsAsArray().map(({ name }) => name);
  }

  /** Removes every series of every metric that carries these label values. */
  removeAll(labels: Labels): void {
    for (const families of [this.#counters, this.#gauges, this.#histograms]) {
      families.removeAll(labels);
    }
  }

  #options({ name, help, labels }: Family): MetricOptions {
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }
}

/** The metrics of one type, by name. A name that another type has is refused by prom-client itself. */
class Families<S> {
  readonly #known = new Map<string, { readonly labels: string; readonly series: Series<S> }>();

  get({ name, labels }: Family, make: () => Series<S>): Series<S> {
    const known = this.#known.get(name);
    if (known === undefined) {
      const series = make();
      this.#known.set(name, { labels: labels.join(), series });
      return series;
    }
    if (known.labels === labels.join()) return known.series;
    throw new TypeError(`metric ${name} has the labels ${known.labels}, not ${labels.join()}`);
  }

  removeAll(labels: Labels): void {
    for (const { series } of this.#known.values()) series.removeAll(labels);
  }
}

/** Remembers its series, so that asking again is cheap and those of a label value can be found. */
class Series<S> implements Vector<S> {
  readonly #known = new Map<string, { readonly labels: Labels; readonly series: S }>();
  readonly #make: (labels: Labels) => S;
  readonly #remove: (labels: Labels) => void;

  constructor(make: (labels: Labels) => S, remove: (labels: Labels) => void) {
    this.#make = make;
    this.#remove = remove;
  }

  with(labels: Labels = {}): S {
    const key = keyOf(labels);
    let entry = this.#known.get(key);
    if (entry === undefined) {
      entry = { labels, series: this.#make(labels) };
      this.#known.set(key, entry);
    }
    return entry.series;
  }

  remove(labels: Labels): void {
    if (this.#known.delete(keyOf(labels))) this.#remove(labels);
  }

  removeAll(wanted: Labels): void {
    const names = Object.keys(wanted);
    for (const { labels } of [...this.#known.values()]) {
      if (names.every((name) => labels[name] === wanted[name])) this.remove(labels);
    }
  }
}

function keyOf(labels: Labels): string {
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}=${labels[name]}`)
    .join("\u0000");
}
