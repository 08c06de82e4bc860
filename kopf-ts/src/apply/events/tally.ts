import type { Metrics } from "../../observe/index.ts";

/** What became of an event. */
export type EventOutcome = "created" | "counted" | "updated";

/** Why an event was never written. */
export type EventLoss =
  | "about_event"
  | "object_limit"
  | "overall_limit"
  | "queue_full"
  | "refused"
  | "namespace_gone"
  | "unreachable"
  | "invalid"
  | "flush_timeout";

/** Counts what became of events. */
export interface EventTally {
  outcome(outcome: EventOutcome): void;
  dropped(reason: EventLoss, count?: number): void;
}

/** Counts in `kopf_events_total` and `kopf_events_dropped_total`. */
export function eventTally(metrics: Metrics | undefined): EventTally {
  const events = metrics?.counter({
    name: "kopf_events_total",
    help: "Events told by controllers: created, counted as a repetition, updated with a new count",
    labels: ["outcome"],
  });
  const dropped = metrics?.counter({
    name: "kopf_events_dropped_total",
    help: "Events told by controllers that were never written, by reason",
    labels: ["reason"],
  });
  return {
    outcome: (outcome) => events?.with({ outcome }).inc(),
    dropped: (reason, count = 1) => dropped?.with({ reason }).inc(count),
  };
}
