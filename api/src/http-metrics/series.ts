/** The series that requests count in. */

import type { Metrics } from "kopf-ts";
import { families } from "./families.ts";

/** What tells requests apart; there are few of each. */
export interface RequestLabels {
  readonly route: string;
  readonly method: string;
  readonly code: string;
  /** Of those to /v1 alone. */
  readonly resource: string | undefined;
}

/** Those of requests with the same labels. */
export interface RequestSeries {
  /** One more has ended, after so many milliseconds. */
  count(took: number): void;
}

/** Looks series up by labels. Once they are known it takes as long as to make their key, where each of the metrics would look at each label again. */
export function seriesOf(metrics: Metrics): (labels: RequestLabels) => RequestSeries {
  const make = makerOf(metrics);
  const known = new Map<string, RequestSeries>();
  return (labels) => {
    const { route, method, code, resource } = labels;
    const key = `${route} ${method} ${code} ${resource}`;
    const found = known.get(key) ?? make(labels);
    known.set(key, found);
    return found;
  };
}

function makerOf(metrics: Metrics): (labels: RequestLabels) => RequestSeries {
  const total = metrics.counter(families.total);
  const time = metrics.histogram(families.time);
  const steveTotal = metrics.counter(families.steveTotal);
  const steveTime = metrics.histogram(families.steveTime);
  return ({ route, method, code, resource }) => {
    const ofType = resource === undefined ? undefined : { resource, method, code };
    const isTimed = code !== "101";
    const totals = [total.with({ route, method, code }), ofType && steveTotal.with(ofType)];
    const seconds = isTimed ? time.with({ route, method }) : undefined;
    const milliseconds = isTimed && ofType ? steveTime.with(ofType) : undefined;
    return {
      count: (took) => {
        for (const each of totals) each?.inc();
        seconds?.observe(took / 1000);
        milliseconds?.observe(took);
      },
    };
  };
}
