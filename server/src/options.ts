/** What can be set from the command line and the environment, parsed at this border. */

import { type FeatureDefaults, FeatureListError, parseFeatures, parseSize } from "@drover/platform";
import { InvalidArgumentError, Option } from "commander";
import { parseDuration } from "kopf-ts";

/** Options of `drover server`; `drover dev` has its own defaults for some. */
export interface ServerOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly httpsListenPort: number;
  /** 0 turns the redirect off. */
  readonly httpListenPort: number;
  readonly bindHost: string;
  /** `host:port`, or `0` to turn the endpoint off. */
  readonly metricsListenAddr: string;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly logFormat: "json" | "text";
  readonly tlsCertFile?: string;
  readonly tlsKeyFile?: string;
  /** Defaults of the features. */
  readonly features: FeatureDefaults;
  /** 0 for any free one. */
  readonly webhookListenPort: number;
  /** Where API servers reach the webhooks; worked out unless told. */
  readonly webhookUrl?: string | undefined;
  /** Whether the server's own cluster is among the managed ones. */
  readonly addLocal: boolean;
  /** Whether Impersonate-* headers are believed; see checkHeaderAuth. */
  readonly enableHeaderAuth?: boolean;
  /** Bytes that the API's caches may take together. */
  readonly cacheMemory: number;
}

/** Throws where everybody on the network could be anybody. To be asked before anything listens. */
export function checkHeaderAuth({
  bindHost,
  enableHeaderAuth = false,
}: Pick<ServerOptions, "bindHost" | "enableHeaderAuth">): void {
  if (!enableHeaderAuth || isLoopback(bindHost)) return;
  throw new Error(
    `--enable-header-auth makes whoever connects an administrator: it needs a --bind-host that only this machine reaches, such as 127.0.0.1, not ${bindHost}`,
  );
}

/** Whether a host's name or address is of this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/** A TCP port; 0 is allowed and means what the option says. */
export function parsePort(text: string): number {
  if (isPort(text)) return Number(text);
  throw new InvalidArgumentError("a port is a number from 0 to 65535.");
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

/** A list such as `v3-public=false,token-hashing=true`, as the defaults that it makes. */
export function parseFeatureList(text: string): FeatureDefaults {
  try {
    return parseFeatures(text);
  } catch (cause) {
    if (!(cause instanceof FeatureListError)) throw cause;
    throw Object.assign(new InvalidArgumentError(`${cause.message}.`), { cause });
  }
}

/** An https URL without query, as API servers ask of webhooks; undefined for an empty one. */
export function parseWebhookUrl(text: string): string | undefined {
  if (text === "") return undefined;
  const url = URL.parse(text);
  const odd = url === null || url.search + url.hash + url.username + url.password !== "";
  if (odd || url.protocol !== "https:") {
    throw new InvalidArgumentError("a webhook URL is https://host:port, without query or user.");
  }
  return text.replace(/\/+$/, "");
}

/** `true` or `false`. */
export function parseBoolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("it is true or false.");
  return text === "true";
}

/** A duration above 0, in milliseconds. */
export function parseTimeout(text: string): number {
  const value = parseDuration(text);
  if (value !== undefined && value > 0) return value;
  throw new InvalidArgumentError("a duration is written 8s or 1m30s.");
}

/** Bytes as Kubernetes writes them: `512Mi`, `1.5Gi`; at least 16Mi. */
export function parseBytes(text: string): number {
  const bytes = parseSize(text);
  if (bytes >= 16 * 2 ** 20 && Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError(
    "a size is written 512Mi, 1.5Gi or in bytes, and is at least 16Mi.",
  );
}

/** `host:port`, `[v6]:port`, `:port` or `0`. */
export function parseAddress(text: string): string {
  const [, port] = /^(?:\[[\da-fA-F:.]+\]|[^:[\]]*):(\d+)$/.exec(text) ?? [];
  if (text === "0" || (port !== undefined && isPort(port))) return text;
  throw new InvalidArgumentError("an address is host:port, or 0 for none.");
}

/** Defaults that differ between commands. */
export interface Defaults {
  readonly logFormat: "json" | "text";
  readonly logLevel: string;
}

const serverDefaults: Defaults = { logFormat: "json", logLevel: "info" };

/** A person reads along. */
export const devDefaults: Defaults = { logFormat: "text", logLevel: "info" };

/** The address of a listener as a person types it. */
export function httpsUrl(host: string, port: number): string {
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Options that `server` and `dev` share. */
export function listenOptions(defaults: Defaults = serverDefaults): readonly Option[] {
  return [
    new Option("--https-listen-port <port>", "port of the HTTPS API; 0 for any free one")
      .default(8443)
      .argParser(parsePort),
    new Option("--http-listen-port <port>", "port that redirects to HTTPS; 0 for none")
      .default(8080)
      .argParser(parsePort),
    new Option("--bind-host <address>", "address to listen on").default("127.0.0.1"),
    new Option("--metrics-listen-addr <address>", "/metrics, /healthz, /readyz; 0 for none")
      .default("127.0.0.1:9108")
      .argParser(parseAddress),
    new Option(
      "--enable-header-auth",
      "believe Impersonate-* headers, and take whoever sends none for an administrator; only on a loopback address",
    ).default(false),
    new Option(
      "--cache-memory <size>",
      "what the API's caches of all clusters may take together, such as 512Mi",
    )
      .default(2 ** 30, "1Gi")
      .argParser(parseBytes),
    new Option("--log-level <level>")
      .choices(["debug", "info", "warn", "error"])
      .default(defaults.logLevel),
    new Option("--log-format <format>").choices(["json", "text"]).default(defaults.logFormat),
  ];
}

/** Defaults of features, of which the environment may tell as well. */
export function featuresOption(): Option {
  return new Option("--features <list>", "defaults of features, such as v3-public=false")
    .env("CATTLE_FEATURES")
    .default(parseFeatures(""), "see docs/reference/features.md")
    .argParser(parseFeatureList);
}

/** What `server` and `dev` are told of the management plane; options go before the environment. */
export function planeOptions(): readonly Option[] {
  return [
    featuresOption(),
    new Option("--add-local <boolean>", "manage the server's own cluster, as Cluster local")
      .default(true)
      .argParser(parseBoolean),
    new Option("--webhook-listen-port <port>", "port of the admission webhooks; 0 for any free one")
      .env("CATTLE_PORT")
      .default(9443)
      .argParser(parsePort),
    new Option("--webhook-url <url>", "where the API server reaches them; else worked out")
      .env("CATTLE_WEBHOOK_URL")
      .argParser(parseWebhookUrl),
  ];
}

/** Durations of the election in milliseconds, from CATTLE_ELECTION_* (wrangler: pkg/leader); Rancher's defaults are 45/30/2 s. */
export interface ElectionTimes {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** Reads the election's durations; CATTLE_DEV_MODE stretches them so that a debugger does not lose the lease. */
export function electionTimes(env: Readonly<Record<string, string | undefined>>): ElectionTimes {
  const hour = 3_600_000;
  const slow = (env.CATTLE_DEV_MODE ?? "") !== "";
  const [lease, renew, retry] = electionVariables;
  const leaseDuration = duration(env, lease, slow ? 45 * hour : 45_000);
  const renewDeadline = duration(env, renew, slow ? 30 * hour : 30_000);
  const retryPeriod = duration(env, retry, 2000);
  if (renewDeadline >= leaseDuration) throw notLonger(lease, leaseDuration, renew, renewDeadline);
  // Waits between retries are stretched by up to a fifth (client-go: tools/leaderelection).
  const stretched = retryPeriod * 1.2;
  if (stretched >= renewDeadline)
    throw notLonger(renew, renewDeadline, `1.2 x ${retry}`, stretched);
  return { leaseDuration, renewDeadline, retryPeriod };
}

const electionVariables = [
  "CATTLE_ELECTION_LEASE_DURATION",
  "CATTLE_ELECTION_RENEW_DEADLINE",
  "CATTLE_ELECTION_RETRY_PERIOD",
] as const;

function notLonger(long: string, longMs: number, short: string, shortMs: number): Error {
  const [a, b] = [longMs, shortMs].map((time) => `${time / 1000}s`);
  return new Error(`${long} (${a}) must be longer than ${short} (${b})`);
}

function duration(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  fallback: number,
): number {
  const text = env[name];
  if (text === undefined || text === "") return fallback;
  const value = parseDuration(text);
  if (value !== undefined && value > 0) return value;
  throw new Error(`${name} must be a duration such as 45s or 1m30s, not "${text}"`);
}
