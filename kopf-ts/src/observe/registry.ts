/** The only module that knows prom-client: it writes the text form, and knows what to tell of the process. */

import { createRequire } from "node:module";
import type * as Prometheus from "prom-client";
import type { Family } from "./families.ts";
import { lagFigures, measureLoopLag, never } from "./loop-lag.ts";
import {
  type Counter,
  counterOf,
  type Gauge,
  gaugeOf,
  type Histogram,
  histogramOf,
  type Labels,
  type Sample,
  SeriesOf,
  type Vector,
} from "./series.ts";

type Type = "counter" | "gauge" | "histogram";

/** What a registry of prom-client reads of a metric. */
interface Readable {
  readonly name: string;
  readonly help: string;
  readonly type: Type;
  get(): Promise<Omit<Readable, "get"> & { readonly values: readonly Sample[] }>;
}

/** Bounds of a histogram that names none; prom-client's and Prometheus' own. */
const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

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
    return this.#counters.get(family, () =>
      this.#register("counter", new SeriesOf(withoutBuckets(family), counterOf)),
    );
  }

  /** `collect` runs before the metric is read, to set what is only known then; only the first caller's counts. */
  gauge(family: Family, collect?: () => void): Vector<Gauge> {
    return this.#gauges.get(family, () =>
      this.#register("gauge", new SeriesOf(withoutBuckets(family), gaugeOf), collect),
    );
  }

  histogram(family: Family): Vector<Histogram> {
    const { buckets = defaultBuckets } = family;
    return this.#histograms.get(family, () =>
      this.#register("histogram", new SeriesOf({ ...family, buckets }, histogramOf)),
    );
  }

  /** Adds what prom-client knows of the process: CPU, memory, handles, event-loop lag, garbage collection. */
  collectProcess(): void {
    const register = this.#registry;
    this.#prometheus.collectDefaultMetrics({ register, eventLoopMonitoringPrecision: never });
    this.#tellLoopLag();
  }

  /** In place of what prom-client has under these names; all are set when the first is read. */
  #tellLoopLag(): void {
    const measured = measureLoopLag();
    const gauges = new Map<string, Gauge>();
    const collect = (): void => {
      const figures = measured();
      for (const [name, gauge] of gauges) gauge.set(figures[name] ?? 0);
    };
    for (const [name, what] of Object.entries(lagFigures)) {
      const family = {
        name: `nodejs_eventloop_lag_${name}_seconds`,
        help: `The ${what} of the recorded event loop delays.`,
        labels: [],
      };
      this.#registry.removeSingleMetric(family.name);
      gauges.set(name, this.gauge(family, gauges.size === 0 ? collect : undefined).with());
    }
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

  #register<S>(type: Type, series: SeriesOf<S>, collect?: () => void): SeriesOf<S> {
    const { name, help } = checked(series.family);
    const metric: Readable = {
      ...{ name, help, type },
      get: () => {
        collect?.();
        return Promise.resolve({ name, help, type, values: series.samples() });
      },
    };
    // The registry reads a metric only through these four; its types ask for the class.
    this.#registry.registerMetric(metric as unknown as Prometheus.Metric);
    return series;
  }
}

/** The metrics of one type, by name. A name that another type has is refused by prom-client itself. */
class Families<S> {
  readonly #known = new Map<string, SeriesOf<S>>();

  get({ name, labels }: Family, make: () => SeriesOf<S>): SeriesOf<S> {
    const known = this.#known.get(name);
    if (known === undefined) {
      const series = make();
      this.#known.set(name, series);
      return series;
    }
    const has = known.family.labels.join();
    if (has === labels.join()) return known;
    throw new TypeError(`metric ${name} has the labels ${has}, not ${labels.join()}`);
  }

  removeAll(labels: Labels): void {
    for (const series of this.#known.values()) series.removeAll(labels);
  }
}

function withoutBuckets({ name, help, labels }: Family): Family {
  return { name, help, labels };
}

/** Refuses what Prometheus could not read. */
function checked(family: Family): Family {
  const { name, labels } = family;
  if (!/^[a-z_:][a-z0-9_:]*$/i.test(name)) throw new TypeError(`no name of a metric: "${name}"`);
  const wrong = labels.find((label) => !/^[a-z_][a-z0-9_]*$/i.test(label) || label === "le");
  if (wrong === undefined) return family;
  throw new TypeError(`metric ${name} cannot have a label "${wrong}"`);
}
