/** Auth-providers of kubeconfigs, through client-node. Only ever imported dynamically: see user-source.ts. */

import { KubeConfig } from "@kubernetes/client-node";
import { messageOf, systemClock } from "../../base/index.ts";
import { ConfigError } from "./config-error.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";
import { masked } from "./program.ts";
import type { Selection } from "./select.ts";

/** Milliseconds a provider may take. */
const TIME_LIMIT = 60_000;

/** A source that asks the user's auth-provider. client-node keeps what it said until it expires; `force` asks anew. */
export function pluginSource(selection: Selection): CredentialSource {
  let config = toClientNode(selection);
  return async ({ force, signal }) => {
    if (force) config = toClientNode(selection);
    const options: Parameters<KubeConfig["applyToHTTPSOptions"]>[0] = {};
    try {
      await inTime(config.applyToHTTPSOptions(options), signal);
    } catch (thrown) {
      throw fault(selection, thrown);
    }
    const credentials = fromOptions(options);
    if (credentials.token === undefined) throw fault(selection, new Error("it knows no token"));
    return credentials;
  };
}

/** client-node can neither be told to stop nor to hurry; what it does meanwhile is of no use to anybody. */
async function inTime<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const done = new AbortController();
  const ends = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
  const timeUp = systemClock.sleep(TIME_LIMIT, ends).then((): never => {
    throw new Error(`it did not answer within ${TIME_LIMIT / 1_000} s`);
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    timeUp.catch(() => undefined);
    done.abort();
  }
}

/** A parser's error quotes what it read, which may be half a token: it is not told. Nor does the cause go along, which is not masked. */
function fault({ user, userName, context }: Selection, thrown: unknown): ConfigError {
  const name = user.entry["auth-provider"]?.name ?? "";
  const who = `the auth-provider ${name} of user ${JSON.stringify(userName)} (context ${JSON.stringify(context)})`;
  const cause = thrown instanceof SyntaxError ? new Error("what it read is no JSON") : thrown;
  const text = masked(messageOf(cause).trim()) || "it did not say why";
  return new ConfigError(`${user.file}: ${who} gave no credentials: ${text}`);
}

function fromOptions(options: { headers?: unknown }): Credentials {
  const headers = (options.headers ?? {}) as Readonly<Record<string, unknown>>;
  const authorization = headers.Authorization;
  return typeof authorization === "string" && authorization.startsWith("Bearer ")
    ? { token: authorization.slice("Bearer ".length) }
    : {};
}

/** A config of client-node with this one cluster and user; files and data stay with us, so that they are read again. */
function toClientNode({ clusterName, cluster, userName, user, context }: Selection): KubeConfig {
  const { server = "" } = cluster.entry;
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: clusterName, server, skipTLSVerify: true }], // its agent, which nobody uses, would refuse plain http
    users: [{ name: userName, authProvider: structuredClone(user.entry["auth-provider"]) }],
    contexts: [{ name: context, cluster: clusterName, user: userName }],
    currentContext: context,
  });
  return config;
}
