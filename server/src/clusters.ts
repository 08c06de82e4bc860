/** How a command reaches a managed cluster. */

import { Cluster, dataNamespace, kinds, localClusterName } from "@drover/crds";
import { clusterConfig, credentialSecretName, findNamed, isReachable } from "@drover/platform";
import { type Client, connect } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";

/** A cluster that a command talks to. */
export interface Reached extends AsyncDisposable {
  readonly client: Client;
}

/** A cluster by name; `local` is the hub itself, whose client stays. Throws an Error that says why when there is no way to it. */
export async function reachCluster(hub: Client, name: string): Promise<Reached> {
  if (name === localClusterName) {
    return { client: hub, [Symbol.asyncDispose]: async () => undefined };
  }
  const cluster = await findNamed(hub, Cluster, name, {});
  if (cluster === undefined) throw new Error(`there is no cluster ${name}`);
  const way = clusterConfig(cluster, await credentialOf(hub, cluster));
  if (!isReachable(way)) throw new Error(`cluster ${name} cannot be reached: ${way.message}`);
  const client = connect(way.config, { kinds });
  return { client, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

async function credentialOf(hub: Client, cluster: Cluster): Promise<Secret | undefined> {
  const name = credentialSecretName(cluster);
  return name === undefined
    ? undefined
    : findNamed(hub, Secret, name, { namespace: dataNamespace });
}
