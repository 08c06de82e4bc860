/** `drover server`: the API's listeners and the operators around one cluster. */

import { type Listener, listen, pipeline } from "@drover/api";
import { kinds } from "@drover/crds";
import { everywhere, management, type Surroundings, tasks } from "@drover/operators";
import { parseFeatures } from "@drover/platform";
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
import { tellMissingCrds } from "./missing-crds.ts";
import { electionTimes, httpsUrl, type ServerOptions } from "./options.ts";

/** Rancher's lease (wrangler: pkg/leader; rancher: pkg/wrangler/context.go). */
export const lease = { namespace: "kube-system", name: "cattle-controllers" } as const;

/** Where a running server can be found. */
export interface Serving {
  readonly listener: Listener;
  readonly operator: Operator;
  readonly target: Target;
}

/** The cluster that is served; disposed when nothing uses it any more. */
export interface Target extends AsyncDisposable {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Names this process in the lease; the host's name and a random id unless told. */
  readonly identity?: string;
}

/** What differs between the commands that serve. */
export interface ServeHooks {
  /** Makes the cluster ready; `options` name one unless told. Meanwhile the listeners are open and /readyz says what is waited for. */
  readonly target?: (signal: AbortSignal) => Promise<Target>;
  /** The operator is about to start; what is still missing then, /readyz tells. */
  readonly started?: (serving: Serving) => void;
}

/** Runs until a signal; resolves with the exit code. */
export async function runServer(options: ServerOptions): Promise<number> {
  const logger = createLogger({ level: options.logLevel, format: options.logFormat });
  return runOperator({ start: (signal) => serve(options, signal, logger) }, { logger });
}

/**
 * Serves health at once, then waits for the cluster and the lease and reconciles, until the signal aborts. Never rejects: what fails is told
 * on standard error, with exit code 1.
 */
export async function serve(
  options: ServerOptions,
  signal: AbortSignal,
  logger: Logger,
  { target: prepare = () => targetOf(options), started = () => undefined }: ServeHooks = {},
): Promise<ExitCode> {
  try {
    const health = new HealthChecks();
    await using listener = await listenWith(options, health, logger);
    logger.info("serving", { url: httpsUrl(options.bindHost, listener.httpsPort) });
    await using target = await waitFor(prepare, signal, health);

    const parts = { health, metrics: new Metrics(), logger };
    await using client = await connectWith(target, parts);
    // Renewals have a connection of their own, so that they never queue behind reconciliations.
    await using electing = await connectWith(target, parts, { maxConnections: 1 });
    const operator = operatorFor(options, { ...parts, client, electing, target });
    using _crds = tellMissingCrds(operator, { clock: systemClock, log: logger });
    started({ listener, operator, target });
    return await operator.start(signal);
  } catch (error) {
    if (signal.aborted) return exitCodes.stopped;
    process.stderr.write(`drover: ${messageOf(error)}\n`);
    return exitCodes.failed;
  }
}

async function waitFor(
  prepare: (signal: AbortSignal) => Promise<Target>,
  signal: AbortSignal,
  health: HealthChecks,
): Promise<Target> {
  using _ = health.ready("cluster", () => {
    throw new Error("the cluster is being prepared");
  });
  return await prepare(signal);
}

async function targetOf({ kubeconfig, context }: ServerOptions): Promise<Target> {
  return { kubeconfig, context, [Symbol.asyncDispose]: async () => undefined };
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

interface Observed {
  readonly health: HealthChecks;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

async function connectWith(
  { kubeconfig, context }: Target,
  { metrics, logger }: Observed,
  options: { readonly maxConnections?: number } = {},
): Promise<Client> {
  const config = await loadConfig({ kubeconfig, context });
  const { host } = new URL(config.server);
  return connect(config, { kinds, ...options, logger, metrics: metrics.client(host) });
}

interface Parts extends Observed {
  readonly client: Client;
  readonly electing: Client;
  readonly target: Target;
}

function operatorFor({ metricsListenAddr }: ServerOptions, parts: Parts): Operator {
  const { electing, target, ...rest } = parts;
  const { identity } = target;
  const surroundings = surroundingsOf(rest);
  return new Operator({
    name: "drover",
    ...rest,
    controllers: management(surroundings),
    everywhere: everywhere(surroundings),
    tasks: tasks(surroundings),
    election: {
      ...lease,
      ...electionTimes(process.env),
      client: electing,
      ...(identity !== undefined && { identity }),
    },
    ...(metricsListenAddr === "0" ? {} : { metricsAddr: metricsListenAddr }),
  });
}

function surroundingsOf({ metrics, logger }: Observed): Surroundings {
  const { env } = process;
  const features = parseFeatures(env.CATTLE_FEATURES ?? "");
  return {
    metrics,
    env,
    features,
    restart: (reason) => logger.warn("a restart is due", { reason }),
  };
}
