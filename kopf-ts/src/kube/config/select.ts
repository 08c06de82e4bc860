/** From a kubeconfig and a context to where a cluster is and who we are there. */

import { messageOf } from "../../base/index.ts";
import type { Impersonation } from "../client.ts";
import { parseProxy } from "../http/proxy.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-error.ts";
import type { ClusterEntry, ContextEntry, UserEntry } from "./entries.ts";
import type { Kubeconfig, Placed } from "./kubeconfig.ts";
import { userSource } from "./user-source.ts";

/** A context with the cluster and user it names. */
export interface Selection {
  readonly context: string;
  readonly namespace: string | undefined;
  readonly clusterName: string;
  readonly cluster: Placed<ClusterEntry>;
  readonly userName: string;
  readonly user: Placed<UserEntry>;
}

/** Looks up a context, the current one when none is named. Throws ConfigError. */
export function select(config: Kubeconfig, wanted: string | undefined): Selection {
  const context = wanted ?? config.currentContext;
  const { entry } = contextEntry(config, context);
  const clusterName = entry.cluster ?? "";
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined) {
    throw new ConfigError(
      `${config.source}: context ${JSON.stringify(context)} names the cluster ${JSON.stringify(clusterName)}, which is not in it`,
    );
  }
  const userName = entry.user ?? "";
  const user = userName === "" ? { entry: {}, file: cluster.file } : config.users.get(userName);
  if (user === undefined) {
    throw new ConfigError(
      `${config.source}: context ${JSON.stringify(context)} names the user ${JSON.stringify(userName)}, which is not in it`,
    );
  }
  return { context, namespace: entry.namespace, clusterName, cluster, userName, user };
}

function contextEntry(config: Kubeconfig, context: string): Placed<ContextEntry> {
  const found = config.contexts.get(context);
  if (found !== undefined) return found;
  const names = [...config.contexts.keys()];
  const hint =
    names.length === 0 ? "it has no contexts" : `choose one of its contexts: ${names.join(", ")}`;
  throw new ConfigError(
    context === ""
      ? `${config.source} has no current-context; ${hint}`
      : `${config.source} has no context ${JSON.stringify(context)}; ${hint}`,
  );
}

/** The cluster a selection leads to. With `trusted` it may read files and run plug-ins. Throws ConfigError. */
export function toClusterConfig(selection: Selection, trusted: boolean): ClusterConfig {
  const { context, namespace, cluster, clusterName, user, userName } = selection;
  const { server, ...entry } = cluster.entry;
  const where = `${cluster.file}: cluster ${JSON.stringify(clusterName)}`;
  if (server === undefined) throw new ConfigError(`${where} has no server`);
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw new ConfigError(
      `${where} has the server ${JSON.stringify(server)}; it must be https://host:port`,
    );
  }
  return {
    server,
    context,
    cluster: clusterName,
    user: userName === "" ? undefined : userName,
    namespace,
    credentials: userSource(selection, trusted),
    tlsServerName: entry["tls-server-name"],
    insecureSkipTlsVerify: entry["insecure-skip-tls-verify"],
    proxyUrl: proxyOf(entry["proxy-url"], where),
    impersonate: impersonationOf(user.entry, `${user.file}: user ${JSON.stringify(userName)}`),
  };
}

/** A URL with a password is hidden in a function, as credentials are. */
function proxyOf(url: string | undefined, where: string): ClusterConfig["proxyUrl"] {
  if (url === undefined) return undefined;
  try {
    parseProxy(url);
  } catch (thrown) {
    throw new ConfigError(`${where}: ${messageOf(thrown)}`, { cause: thrown });
  }
  return url.includes("@") ? () => url : url;
}

function impersonationOf(entry: UserEntry, where: string): Impersonation | undefined {
  const { as: user } = entry;
  const uid = entry["as-uid"];
  const groups = entry["as-groups"];
  const extra = entry["as-user-extra"];
  if (user !== undefined) {
    return {
      user,
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
    };
  }
  if (uid === undefined && groups === undefined && extra === undefined) return undefined;
  throw new ConfigError(
    `${where} has as-uid, as-groups or as-user-extra, but no as: nobody could be impersonated`,
  );
}
