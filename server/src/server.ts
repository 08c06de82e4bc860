/** `drover server`: the API's listeners and the operators around one cluster. */

import { type Listener, listen, pipeline } from "@drover/api";
import { kinds } from "@drover/crds";
import { management } from "@drover/operators";
import {
  type Client,
  connect,
  createLogger,
  type ExitCode,
  exitCodes,
  HealthChecks,
  type Logger,
  loadConfig,
  Metrics,
  messageOf,
  Operator,
  runOperator,
  systemClock,
} from "kopf-ts";
import { certificateOf } from "./certificate.ts";
import { electionTimes, httpsUrl, type ServerOptions } from "./options.ts";

/** Rancher's lease (wrangler: pkg/leader; rancher: pkg/wrangler/context.go). */
const lease = { namespace: "kube-system", name: "cattle-controllers" } as const;

/** Where a running server can be found. */
export interface Serving {
  readonly listener: Listener;
  readonly operator: Operator;
}

/** Runs until a signal; resolves with the exit code. */
export async function runServer(options: ServerOptions): Promise<number> {
  const logger = createLogger({ level: options.logLevel, format: options.logFormat });
  return runOperator({ start: (signal) => serve(options, signal, logger) }, { logger });
}

/**
 * Serves health at once, then waits for the cluster and the lease and reconciles, until the signal aborts. `started` is called when the
 * listeners are open; what is still missing, /readyz tells. Never rejects: a start that fails is told on standard error, with exit code 1.
 */
export async function serve(
  options: ServerOptions,
  signal: AbortSignal,
  logger: Logger,
  started: (serving: Serving) => void = () => undefined,
): Promise<ExitCode> {
  try {
    const health = new HealthChecks();
    await using listener = await listenWith(options, health, logger);
    const metrics = new Metrics();
    await using client = await connectWith(options, { metrics, logger });
    // Renewals have a connection of their own, so that they never queue behind reconciliations.
    await using electing = await connectWith(options, { metrics, logger, maxConnections: 1 });
    const operator = operatorFor(options, { client, electing, health, metrics, logger });
    logger.info("serving", { url: httpsUrl(options.bindHost, listener.httpsPort) });
    started({ listener, operator });
    return await operator.start(signal);
  } catch (error) {
    process.stderr.write(`drover: ${messageOf(error)}\n`);
    return exitCodes.failed;
  }
}

async function listenWith(
  options: ServerOptions,
  health: HealthChecks,
  log: Logger,
): Promise<Listener> {
  const { bindHost, httpsListenPort, httpListenPort } = options;
  return listen({
    host: bindHost,
    httpsPort: httpsListenPort,
    ...(httpListenPort === 0 ? {} : { httpPort: httpListenPort }),
    certificate: await certificateOf(options),
    handle: pipeline({ health }),
    clock: systemClock,
    log,
  });
}

interface Connecting {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly maxConnections?: number;
}

async function connectWith(
  options: ServerOptions,
  { metrics, ...rest }: Connecting,
): Promise<Client> {
  const config = await loadConfig(options);
  const { host } = new URL(config.server);
  return connect(config, { kinds, ...rest, metrics: metrics.client(host) });
}

interface Parts {
  readonly client: Client;
  readonly electing: Client;
  readonly health: HealthChecks;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

function operatorFor({ metricsListenAddr }: ServerOptions, parts: Parts): Operator {
  const { electing, ...rest } = parts;
  return new Operator({
    name: "drover",
    ...rest,
    controllers: management(rest),
    election: { ...lease, ...electionTimes(process.env), client: electing },
    ...(metricsListenAddr === "0" ? {} : { metricsAddr: metricsListenAddr }),
  });
}
