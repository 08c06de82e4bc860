/** What an API server was asked and what it sent, by its own metrics. */

import type { ControlPlane } from "@drover/env";

/** Totals since the API server started. */
export interface Asked {
  /** Requests that ended, and those that are still open, such as watches. */
  readonly requests: number;
  /** Bodies of answers and events of watches, before compression. */
  readonly bytes: number;
}

/** Reads them; the API server does not count who reads its metrics. */
export async function readAsked(plane: ControlPlane): Promise<Asked> {
  const { status, body } = await plane.request("GET", "/metrics");
  if (status !== 200) throw new Error(`the API server's metrics: status ${status}`);
  return parseAsked(body);
}

/** What came between two readings. */
export function between(before: Asked, after: Asked): Asked {
  return { requests: after.requests - before.requests, bytes: after.bytes - before.bytes };
}

/** Takes the totals from the text of /metrics. Pure. */
export function parseAsked(text: string): Asked {
  const sums = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name = "", labels = "", value = ""] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    // A watch counts here as well, but only once it has ended.
    if (name === sizes && labels.includes('verb="WATCH"')) continue;
    if (counted.has(name)) sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  const sum = (name: string): number => sums.get(name) ?? 0;
  return {
    requests: sum("apiserver_request_total") + sum("apiserver_longrunning_requests"),
    bytes: sum(sizes) + sum("apiserver_watch_events_sizes_sum"),
  };
}

const sizes = "apiserver_response_sizes_sum";

const counted = new Set([
  "apiserver_request_total",
  "apiserver_longrunning_requests",
  sizes,
  "apiserver_watch_events_sizes_sum",
]);
