import type { Metrics } from "kopf-ts";

type Family = Parameters<Metrics["counter"]>[0];

type Name = "total" | "time" | "working" | "steveTotal" | "steveTime";

const steve = ["resource", "method", "code"];

/** The metrics of requests. Steve's time is in milliseconds, as its help says; its own buckets end at 10 ms, ours go on. */
export const families: Readonly<Record<Name, Family>> = {
  total: {
    name: "drover_http_requests_total",
    help: "Requests that have ended, by the first segment of their path",
    labels: ["route", "method", "code"],
  },
  time: {
    name: "drover_http_request_duration_seconds",
    help: "How long requests took, upgraded connections left out",
    labels: ["route", "method"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  working: {
    name: "drover_http_requests_in_flight",
    help: "Requests that have begun and not ended, open watches and upgraded connections among them",
    labels: [],
  },
  steveTotal: {
    name: "steve_api_total_requests",
    help: "Total count API requests",
    labels: steve,
  },
  steveTime: {
    name: "steve_api_request_time",
    help: "Request times in ms",
    labels: steve,
    buckets: [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000],
  },
};
