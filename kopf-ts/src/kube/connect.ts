import { type Clock, type Logger, silentLogger, systemClock } from "../base/index.ts";
import type { ForwardingClient } from "./client.ts";
import { ClusterClient } from "./cluster-client.ts";
import type { ClusterConfig } from "./config/cluster-config.ts";
import { CredentialKeeper, type CredentialSource } from "./config/credentials.ts";
import { RestMapper } from "./discovery/mapper.ts";
import { Caller } from "./http/caller.ts";
import type { Dial } from "./http/dial.ts";
import { parseProxy, proxyDial } from "./http/proxy.ts";
import { Transport } from "./http/transport.ts";
import { impersonationHeaders } from "./impersonation.ts";
import type { Kind } from "./kind.ts";
import { type KindSource, KnownKinds } from "./known-kinds.ts";
import type { ClientMetrics } from "./metrics.ts";
import { badRequest } from "./paths.ts";

/** How to talk to a cluster. */
export interface ConnectOptions {
  readonly userAgent?: string;
  /** Opens connections in place of TCP. */
  readonly dial?: Dial;
  /** Connections for calls, 64 unless told; more calls wait for one. Streams have their own. */
  readonly maxConnections?: number;
  /** Milliseconds for a call that does not say; 30,000 unless told. */
  readonly timeout?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: ClientMetrics;
  /** Kinds that need no discovery. */
  readonly kinds?: readonly Kind[];
}

const MAX_CONNECTIONS = 64;
const TIMEOUT = 30_000;

/**
 * A client of the API server that the config names. Nothing is read or connected before the first request. Dispose it to
 * close its connections; requests then fail with `Closed`.
 */
export function connect(config: ClusterConfig, options: ConnectOptions = {}): ForwardingClient {
  const { clock = systemClock, logger = silentLogger } = options;
  const url = parseServer(config.server);
  const basePath = url.pathname.replace(/(?<!\/)\/+$/, ""); // without the look behind, each of many slashes would be a start
  const server = url.origin + basePath;
  const transport = new Transport({
    origin: url.origin,
    keeper: new CredentialKeeper(sourceOf(config), clock, logger),
    tlsServerName: config.tlsServerName,
    insecureSkipTlsVerify: config.insecureSkipTlsVerify ?? false,
    dial: options.dial ?? proxyOf(config),
    maxConnections: options.maxConnections ?? MAX_CONNECTIONS,
    clock,
    logger,
  });
  const caller = new Caller({
    transport,
    server,
    basePath,
    names: { cluster: config.cluster, user: config.user },
    userAgent: options.userAgent ?? defaultUserAgent,
    timeout: options.timeout ?? TIMEOUT,
    clock,
    logger,
    metrics: options.metrics,
  });
  const source: KindSource = {
    kindFor: (apiVersion, kind) => mapper.kindFor(apiVersion, kind),
    forget: (apiVersion) => mapper.forget(apiVersion),
  };
  const kinds = new KnownKinds(options.kinds ?? [], source, clock);
  const headers = config.impersonate === undefined ? [] : impersonationHeaders(config.impersonate);
  const client: ClusterClient = new ClusterClient(
    {
      server,
      caller,
      kinds,
      close: () => caller.close(),
    },
    headers,
  );
  const mapper = new RestMapper(client, { clock, logger });
  return client;
}

const defaultUserAgent = `kopf-ts/0.1.0 (${process.platform}/${process.arch}) node/${process.versions.node}`;

function sourceOf({ credentials = {} }: ClusterConfig): CredentialSource {
  if (typeof credentials === "function") return credentials;
  const copy = { ...credentials };
  return async () => copy;
}

function proxyOf({ proxyUrl }: ClusterConfig): Dial | undefined {
  const text = typeof proxyUrl === "function" ? proxyUrl() : proxyUrl;
  return text === undefined ? undefined : proxyDial(parseProxy(text));
}

function parseServer(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw badRequest(
    `${JSON.stringify(server)} is no address of an API server; it must be https://host:port`,
  );
}
