/** What subscriptions tell about themselves. */

import type { Family, Metrics } from "kopf-ts";

const families = {
  sessions: {
    name: "drover_subscribe_sessions",
    help: "Open websockets of subscribers",
    labels: [],
  },
  watches: {
    name: "drover_subscribe_watches",
    help: "Watches of all subscribers",
    labels: [],
  },
  behind: {
    name: "drover_subscribe_fell_behind_total",
    help: "How often a watch had to wait for its subscriber to read",
    labels: [],
  },
  lost: {
    name: "drover_subscribe_lost_total",
    help: "Watches that ended because they could not catch up",
    labels: [],
  },
} as const satisfies Readonly<Record<string, Family>>;

/** Counts nothing where there are no metrics. */
export class SubscribeMetrics {
  readonly #metrics: Metrics | undefined;
  #watches = 0;

  constructor(metrics: Metrics | undefined) {
    this.#metrics = metrics;
    for (const family of Object.values(families)) {
      if (family.name.endsWith("_total")) metrics?.counter(family).with().inc(0);
      else metrics?.gauge(family).with().set(0);
    }
  }

  sessions(count: number): void {
    this.#metrics?.gauge(families.sessions).with().set(count);
  }

  /** So many more, or fewer. */
  watches(by: number): void {
    this.#watches += by;
    this.#metrics?.gauge(families.watches).with().set(this.#watches);
  }

  fellBehind(): void {
    this.#metrics?.counter(families.behind).with().inc();
  }

  lost(): void {
    this.#metrics?.counter(families.lost).with().inc();
  }
}
