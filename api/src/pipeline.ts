import { type Clock, type Metrics, systemClock } from "kopf-ts";
import { accessLog } from "./access-log/index.ts";
import type { Api } from "./api.ts";
import { csrf } from "./csrf/index.ts";
import { cattleAuth, headers, steveHeaders } from "./headers/index.ts";
import { type HealthSource, health } from "./health/index.ts";
import { httpMetrics } from "./http-metrics/index.ts";
import { localCluster } from "./local-cluster/index.ts";
import { notFound } from "./not-found/index.ts";
import { ping } from "./public/index.ts";
import { requireLogin } from "./require-login/index.ts";
import { compose, type Exchange, refuse, type Stage } from "./stage.ts";
import { websocketGuard } from "./websocket-guard/index.ts";

/** What the stages need of the rest of the process. */
export interface PipelineOptions {
  readonly health: HealthSource;
  readonly metrics: Metrics;
  /** Whether nobody needs to log in. */
  readonly headerAuth?: boolean | undefined;
  /** Undefined until there is a cluster. */
  readonly api: () => Api | undefined;
  readonly clock?: Clock;
}

/**
 * The way of a request, in order (rancher: pkg/rancher/rancher.go, pkg/multiclustermanager/routes.go). Health and ping come before it is known who asks, and
 * csrf before any route asks for a login: what Rancher has the other way round.
 */
export function pipeline({
  health: source,
  metrics,
  headerAuth = false,
  api,
  clock = systemClock,
}: PipelineOptions): (exchange: Exchange) => Promise<void> {
  const of = (choose: (api: Api) => Stage): Stage => whenThere(api, choose);
  return compose([
    httpMetrics({ metrics, clock, typeOf: (name) => api()?.typeOf(name) }),
    accessLog(clock),
    headers,
    health(source),
    ping,
    of(({ authn }) => authn),
    localCluster,
    cattleAuth(!headerAuth),
    websocketGuard,
    csrf,
    of(({ publicRoutes }) => publicRoutes),
    of(({ logins }) => logins),
    of(({ kubeProxy }) => kubeProxy),
    requireLogin,
    steveHeaders,
    of(({ v1 }) => v1),
    notFound,
  ]);
}

/** A stage that needs a cluster; until there is one, clients are asked to come again. */
function whenThere(api: () => Api | undefined, choose: (api: Api) => Stage): Stage {
  return (exchange, next) => {
    const known = api();
    return known === undefined ? refuseForNow(exchange) : choose(known)(exchange, next);
  };
}

async function refuseForNow({ response }: Exchange): Promise<void> {
  response.setHeader("Retry-After", "1");
  refuse(response, 503, "ClusterUnavailable", "the server is starting");
}
