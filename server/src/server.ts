/** `drover server`: the API's listeners and the operators around one cluster. */

import {
  type Api,
  type Listener,
  listen,
  type PipelineOptions,
  pipeline,
  type ServingCertificate,
  tuneV8,
} from "@drover/api";
import { kinds } from "@drover/crds";
import {
  everywhere,
  management,
  ownIdentity,
  prepare,
  type Surroundings,
  tasks,
  webhooks,
} from "@drover/operators";
import { userAgent } from "@drover/platform";
import {
  type Client,
  type ClusterSet,
  connect,
  createLogger,
  type ExitCode,
  exitCodes,
  type ForwardingClient,
  HealthChecks,
  Informers,
  type Logger,
  loadConfig,
  Metrics,
  messageOf,
  Operator,
  runOperator,
  systemClock,
} from "kopf-ts";
import { type Announce, showPassword } from "./admin-password.ts";
import { apiFor, serveBeside } from "./api.ts";
import { certificateOf } from "./certificate.ts";
import { engage, fleetOf } from "./fleet.ts";
import { checkHeaderAuth, electionTimes, httpsUrl, type ServerOptions } from "./options.ts";
import {
  ownFiles,
  presentStored,
  type ServingCertificateWork,
  type StoredParts,
  sharedCertificate,
} from "./serving-certificate/index.ts";
import { tlsOfEnvironment, tlsSettings } from "./tls-settings.ts";
import { admissionOf } from "./webhooks.ts";

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
  /** It came with this process, and nobody else serves it. */
  readonly embedded?: boolean;
  /** The webhook configurations go when this process stops. */
  readonly removeWebhooks?: boolean;
  /** Shows the first admin's generated password; on the terminal, if there is one, unless told. */
  readonly announce?: Announce;
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
  { target: makeTarget = () => targetOf(options), started = () => undefined }: ServeHooks = {},
): Promise<ExitCode> {
  tuneV8();
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  try {
    checkHeaderAuth(options);
    if (options.enableHeaderAuth) logger.warn("header mode: whoever connects is an administrator");
    const health = new HealthChecks();
    const metrics = new Metrics();
    let api: Api | undefined;
    const { enableHeaderAuth: headerAuth } = options;
    const seen = { health, metrics, logger, headerAuth, api: () => api };
    await using listener = await listenWith(options, seen);
    logger.info("serving", { url: httpsUrl(options.bindHost, listener.httpsPort) });
    // Until the operator itself says what it waits for.
    using cluster = health.ready("cluster", () => {
      throw new Error("the cluster is being prepared");
    });
    await using target = await makeTarget(either);

    const parts = { health, metrics, logger };
    await using client = await connectWith(target, parts);
    // Renewals have a connection of their own, so that they never queue behind reconciliations.
    await using electing = await connectWith(target, parts, { maxConnections: 1 });
    const restart = (reason: string): void => {
      logger.warn("ending, to be started anew", { reason });
      ending.abort(new DOMException("a restart is due", "AbortError"));
    };
    const prepares = (): void => cluster[Symbol.dispose]();
    // Webhooks are not asked about what the server itself writes: a start never waits for its own answer.
    const own = client.as(ownIdentity);
    await using informers = informersOf(own, parts);
    const all = { ...parts, listener, client: own, informers, electing, target, restart, prepares };
    const { operator, clusters } = operatorFor(options, all);
    // What is passed on is somebody else's: beside a credential of theirs nobody is impersonated.
    const clients = { client: own, forwarding: client };
    const served = apiFor(options, { ...clients, informers, log: logger, metrics, clusters });
    const present = (stored: ServingCertificate): void => listener.present(stored);
    certified(options, { client: own, present, clock: systemClock, log: logger }, either).then(
      () => {
        api = served;
      },
      () => undefined, // it rejects when the signal aborts
    );
    started({ listener, operator, target });
    return await serveBeside(
      { api: served, listener, log: logger },
      () => operator.start(either),
      () => restart("the API failed"),
    );
  } catch (error) {
    if (either.aborted) return exitCodes.stopped;
    process.stderr.write(`drover: ${messageOf(error)}\n`);
    return exitCodes.failed;
  }
}

/** Resolves when data may be served: under the user's certificate, or once the one that replicas share is presented, if it is there. */
async function certified(
  { tlsCertFile }: ServerOptions,
  stored: StoredParts,
  signal: AbortSignal,
): Promise<void> {
  if (tlsCertFile === undefined) await presentStored(stored, signal);
}

async function targetOf({ kubeconfig, context }: ServerOptions): Promise<Target> {
  return { kubeconfig, context, [Symbol.asyncDispose]: async () => undefined };
}

async function listenWith(
  options: ServerOptions,
  { logger: log, ...seen }: Observed & Omit<PipelineOptions, keyof Observed>,
): Promise<Listener> {
  const { bindHost, httpsListenPort, httpListenPort } = options;
  return listen({
    host: bindHost,
    httpsPort: httpsListenPort,
    ...(httpListenPort === 0 ? {} : { httpPort: httpListenPort }),
    certificate: await certificateOf(options),
    tls: tlsOfEnvironment(process.env),
    handle: pipeline(seen),
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
): Promise<ForwardingClient> {
  const config = await loadConfig({ kubeconfig, context });
  const { host } = new URL(config.server);
  return connect(config, { kinds, userAgent, ...options, logger, metrics: metrics.client(host) });
}

/** Shared by operators and API, whose answers show managedFields. */
function informersOf(client: Client, { metrics, logger }: Observed): Informers {
  return new Informers(client, {
    ...{ managedFields: "cold", listMode: "pages" },
    ...{ clock: systemClock, metrics, logger },
  });
}

interface Parts extends Observed {
  readonly listener: Listener;
  readonly informers: Informers;
  readonly client: Client;
  readonly electing: Client;
  readonly target: Target;
  readonly restart: (reason: string) => void;
  /** The operator has reached the API server. */
  readonly prepares: () => void;
}

/** The operator, and the clusters that it works for. */
interface Operated {
  readonly operator: Operator;
  readonly clusters: ClusterSet | undefined;
}

function operatorFor(options: ServerOptions, parts: Parts): Operated {
  const { client, informers, electing, target, health, metrics, logger } = parts;
  const { metricsListenAddr } = options;
  const { leaseDuration } = electionTimes(process.env);
  const fleet = fleetOf({ ...parts, leaseDuration, alone: target.embedded ?? false });
  const surroundings = { ...surroundingsOf(options, parts), ...fleet };
  const admission = admissionFor(options, parts, surroundings);
  const certificate = certificateWork(options, parts);
  const operator = new Operator({
    name: "drover",
    health,
    metrics,
    logger,
    client,
    informers,
    prepare: (context) => {
      parts.prepares();
      return prepare(surroundings)(context);
    },
    controllers: [...management(surroundings), ...certificate.controllers],
    everywhere: everywhere(surroundings),
    tasks: [
      ...tasks(surroundings),
      ...certificate.tasks,
      tlsSettings({ listener: parts.listener, env: process.env, informers: () => informers }),
    ],
    ...(admission !== undefined && { admission }),
    election: {
      ...lease,
      ...electionTimes(process.env),
      client: electing,
      ...(target.identity !== undefined && { identity: target.identity }),
    },
    ...(metricsListenAddr === "0" ? {} : { metricsAddr: metricsListenAddr }),
  });
  const clusters = engage(operator, surroundings, { client, logger, metrics });
  return { operator, clusters };
}

function certificateWork(
  { bindHost, tlsCertFile }: ServerOptions,
  { listener, health, informers }: Parts,
): ServingCertificateWork {
  const { env } = process;
  if (tlsCertFile !== undefined) return ownFiles(env);
  const present = (next: ServingCertificate): void => listener.present(next);
  return sharedCertificate({ present, bindHost, env, health, informers: () => informers });
}

function surroundingsOf(
  { addLocal, features }: ServerOptions,
  { metrics, health, restart, target: { embedded = false, announce = showPassword } }: Parts,
): Surroundings {
  const local = addLocal ? { embedded } : null;
  return { metrics, health, env: process.env, features, restart, local, announce };
}

function admissionFor(
  options: ServerOptions,
  { client: { server }, logger, target }: Parts,
  surroundings: Surroundings,
): ReturnType<typeof admissionOf> {
  const admission = admissionOf(options, {
    webhooks: webhooks(surroundings),
    env: surroundings.env,
    server,
    removeOnStop: target.removeWebhooks,
  });
  if (admission === undefined) {
    logger.warn(
      "what people apply is not checked: say with --webhook-url where the API server reaches the webhooks",
      { server },
    );
  }
  return admission;
}
