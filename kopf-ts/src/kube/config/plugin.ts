/** Exec and auth-provider plug-ins of kubeconfigs, through client-node. Only ever imported dynamically: see user-source.ts. */

import { dirname, isAbsolute, resolve } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { messageOf } from "../../base/index.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";
import { ConfigError, type ExecEntry } from "./kubeconfig.ts";
import type { Selection } from "./select.ts";

/** A source that asks the user's plug-in. client-node keeps what it said until it expires; `force` asks anew. */
export function pluginSource(selection: Selection): CredentialSource {
  let config = toClientNode(selection);
  return async ({ force }) => {
    if (force) config = toClientNode(selection);
    const options: Parameters<KubeConfig["applyToHTTPSOptions"]>[0] = {};
    try {
      await config.applyToHTTPSOptions(options);
    } catch (thrown) {
      throw fault(selection, thrown);
    }
    return fromOptions(options);
  };
}

/** A parser's error quotes what it read, which may be half a token: it is not told. */
function fault(selection: Selection, thrown: unknown): ConfigError {
  const cause =
    thrown instanceof SyntaxError ? new Error("it printed no valid ExecCredential") : thrown;
  const text = `${describe(selection)} gave no credentials: ${messageOf(cause).trim()}`;
  return new ConfigError(text + hint(selection), { cause });
}

function fromOptions(options: { headers?: unknown; cert?: unknown; key?: unknown }): Credentials {
  const headers = (options.headers ?? {}) as Readonly<Record<string, unknown>>;
  const authorization = headers.Authorization;
  const token =
    typeof authorization === "string" && authorization.startsWith("Bearer ")
      ? authorization.slice("Bearer ".length)
      : undefined;
  return { token, cert: pem(options.cert), key: pem(options.key) };
}

function pem(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : undefined;
}

/** A config of client-node with this one cluster and user; files and data stay with us, so that they are read again. */
function toClientNode({ clusterName, cluster, userName, user, context }: Selection): KubeConfig {
  const { server = "" } = cluster.entry;
  const { exec, "auth-provider": provider } = user.entry;
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: clusterName, server, skipTLSVerify: true }], // its agent, which nobody uses, would refuse plain http
    users: [
      {
        name: userName,
        ...(exec === undefined ? {} : { exec: execOf(exec, server, user.file) }),
        ...(provider === undefined ? {} : { authProvider: provider }),
      },
    ],
    contexts: [{ name: context, cluster: clusterName, user: userName }],
    currentContext: context,
  });
  return config;
}

/** client-node neither sets KUBERNETES_EXEC_INFO nor looks for relative commands beside the kubeconfig; plug-ins expect both. */
function execOf(exec: ExecEntry, server: string, file: string): object {
  const info = {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: { interactive: false, ...(exec.provideClusterInfo ? { cluster: { server } } : {}) },
  };
  const { command = "" } = exec;
  const relative = command.includes("/") && !isAbsolute(command);
  return {
    ...exec,
    command: relative ? resolve(dirname(file), command) : command,
    args: exec.args ?? [],
    env: [...(exec.env ?? []), { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) }],
  };
}

function describe({ user, userName, context }: Selection): string {
  const { exec, "auth-provider": provider } = user.entry;
  const what =
    exec === undefined ? `auth-provider ${provider?.name ?? ""}` : `plug-in ${exec.command ?? ""}`;
  return `${user.file}: the ${what} of user ${JSON.stringify(userName)} (context ${JSON.stringify(context)})`;
}

function hint({ user }: Selection): string {
  const text = user.entry.exec?.installHint;
  return text === undefined || text === "" ? "" : `; ${text}`;
}
