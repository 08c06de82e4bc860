/** What subscriptions tell about themselves. */

import type { Counter, Family, Gauge, Metrics } from "kopf-ts";

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
  made: {
    name: "drover_subscribe_events_made_total",
    help: "Messages with objects that were written; each is for all subscribers with the same rights",
    labels: [],
  },
  sent: {
    name: "drover_subscribe_events_sent_total",
    help: "Messages with objects that were sent to subscribers",
    labels: [],
  },
  behind: {
    name: "drover_subscribe_fell_behind_total",
    help: "How often a watch had to wait for its subscriber to read",
    labels: [],
  },
  lost: {
    name: "drover_subscribe_lost_total",
    help: "Watches that ended because what they missed was no longer known",
    labels: [],
  },
} as const satisfies Readonly<Record<string, Family>>;

/** Counts nothing where there are no metrics. */
export class SubscribeMetrics {
  readonly sessions: Pick<Gauge, "set">;
  readonly watches: Pick<Gauge, "inc">;
  readonly made: Pick<Counter, "inc">;
  readonly sent: Pick<Counter, "inc">;
  readonly behind: Pick<Counter, "inc">;
  readonly lost: Pick<Counter, "inc">;

  constructor(metrics: Metrics | undefined) {
    const nothing = { set: () => undefined, inc: () => undefined };
    this.sessions = metrics?.gauge(families.sessions).with() ?? nothing;
    this.watches = metrics?.gauge(families.watches).with() ?? nothing;
    this.made = metrics?.counter(families.made).with() ?? nothing;
    this.sent = metrics?.counter(families.sent).with() ?? nothing;
    this.behind = metrics?.counter(families.behind).with() ?? nothing;
    this.lost = metrics?.counter(families.lost).with() ?? nothing;
    this.sessions.set(0);
    for (const each of [this.watches, this.made, this.sent, this.behind, this.lost]) each.inc(0);
  }
}
