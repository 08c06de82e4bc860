import type { Clock, Metrics } from "kopf-ts";
import { methodOf } from "../methods/index.ts";
import { type Exchange, type Stage, statusOf } from "../stage.ts";
import { families } from "./families.ts";
import { type RequestLabels, seriesOf } from "./series.ts";

/** What requests are counted with. */
export interface HttpMetricsOptions {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Id of the type that a segment of a path names; undefined for one that nobody knows. */
  readonly typeOf: (segment: string) => string | undefined;
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
/** First segments that are served; all others are one. */
const routes: ReadonlySet<string> = new Set(
  `api apis cacerts healthz k8s livez openapi ping rancherversion readyz v1 v1-public v3 v3-public
  version`.split(/\s+/),
);
/** What stands below /v1 and is no type. */
const ownRoutes: ReadonlySet<string> = new Set(
  `access apigroup apigroups apiroot apiroots count counts logout schema schemadefinition schemadefinitions schemas
  search subscribe userpreference userpreferences`.split(/\s+/),
);

/**
 * Counts requests and their time when they have ended: all by route, and those to /v1 by type as well, under Steve's names (steve: pkg/metrics).
 * Labels are bounded, whatever clients send: what is not known counts as `other`. Connections that were upgraded last as long as
 * somebody watches, and take no part in times.
 */
export function httpMetrics({ metrics, clock, typeOf }: HttpMetricsOptions): Stage {
  const series = seriesOf(metrics);
  const working = metrics.gauge(families.working).with();
  const segmentsOf = segmenter();
  working.set(0);
  return (exchange, next) => {
    const begin = clock.monotonic();
    const [first] = segmentsOf(exchange.path); // as it came
    working.inc();
    exchange.response.once("close", () => {
      working.dec();
      const labels = labelsOf(exchange, first, segmentsOf(exchange.path), typeOf);
      series(labels).count(clock.monotonic() - begin);
    });
    return next();
  };
}

type Segments = readonly [first: string, second: string];

/** The first two segments of a path; of the same as the last time, as in most requests, they are known. */
function segmenter(): (path: string) => Segments {
  let last = "";
  let segments: Segments = ["", ""];
  return (path) => {
    if (path === last) return segments;
    const [, first = "", second = ""] = path.split("/", 3);
    last = path;
    segments = [first, second];
    return segments;
  };
}

function labelsOf(
  exchange: Exchange,
  first: string,
  [below, second]: Segments,
  typeOf: HttpMetricsOptions["typeOf"],
): RequestLabels {
  const method = methodOf(exchange);
  return {
    route: routes.has(first) ? first : "other",
    method: methods.has(method) ? method : "other",
    code: String(statusOf(exchange.response)),
    resource: below === "v1" ? resourceOf(second, typeOf) : undefined,
  };
}

function resourceOf(segment: string, typeOf: HttpMetricsOptions["typeOf"]): string {
  if (segment === "") return "apiroot";
  const own = segment.toLowerCase();
  return ownRoutes.has(own) ? own : (typeOf(segment) ?? "other");
}
