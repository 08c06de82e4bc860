/** How late the event loop is, at a tenth of what prom-client's own measurement takes of an idle process. */

import { monitorEventLoopDelay } from "node:perf_hooks";

/** Milliseconds between two looks: each wakes the process up. */
const INTERVAL = 100;
/** Milliseconds until prom-client's own first look. */
export const never: number = 2 ** 31 - 1;

/** What is measured, by the last part of prom-client's names. */
export const lagFigures: Readonly<Record<string, string>> = {
  min: "minimum",
  max: "maximum",
  mean: "mean",
  stddev: "standard deviation",
  p50: "50th percentile",
  p90: "90th percentile",
  p99: "99th percentile",
};

/** Measures from now on; each call gives the figures since the last one, in seconds. */
export function measureLoopLag(): () => Readonly<Record<string, number>> {
  const histogram = monitorEventLoopDelay({ resolution: INTERVAL });
  histogram.enable();
  return () => {
    const { count, min, max, mean, stddev } = histogram;
    const [p50, p90, p99] = [50, 90, 99].map((rank) => histogram.percentile(rank));
    histogram.reset();
    if (count === 0) return {};
    const late = Object.entries({ min, max, mean, p50, p90, p99 }).map(
      ([name, delay = 0]) => [name, Math.max(0, delay / 1e9 - INTERVAL / 1e3)] as const,
    );
    return { ...Object.fromEntries(late), stddev: stddev / 1e9 };
  };
}
