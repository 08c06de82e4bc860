/** How a command reaches a managed cluster. */

import { Cluster, dataNamespace, kinds, localClusterName } from "@drover/crds";
import {
  clusterConfig,
  credentialSecretName,
  findNamed,
  isReachable,
  userAgent,
} from "@drover/platform";
import { type Client, connect } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { patience } from "./deadline.ts";

/** A cluster that a command talks to. */
export interface Reached extends AsyncDisposable {
  readonly client: Client;
}

/**
 * A cluster by name, which has just answered; `local` is the hub itself, whose client stays. Throws an Error that says why when there is no way to it, or no answer
 * within 10 s; rejects with the signal's reason.
 */
export async function reachCluster(
  hub: Client,
  name: string,
  signal: AbortSignal,
): Promise<Reached> {
  const reached = name === localClusterName ? stays(hub) : await connectTo(hub, name, signal);
  try {
    await reached.client.request({ method: "GET", path: "/version", signal, timeout: patience });
    return reached;
  } catch (error) {
    await reached[Symbol.asyncDispose]();
    throw error;
  }
}

function stays(client: Client): Reached {
  return { client, [Symbol.asyncDispose]: async () => undefined };
}

async function connectTo(hub: Client, name: string, signal: AbortSignal): Promise<Reached> {
  const cluster = await findNamed(hub, Cluster, name, { signal });
  if (cluster === undefined) throw new Error(`there is no cluster ${name}`);
  const way = clusterConfig(cluster, await credentialOf(hub, cluster, signal));
  if (!isReachable(way)) throw new Error(`cluster ${name} cannot be reached: ${way.message}`);
  const client = connect(way.config, { kinds, userAgent, timeout: patience });
  return { client, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

async function credentialOf(
  hub: Client,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  const name = credentialSecretName(cluster);
  return name === undefined
    ? undefined
    : findNamed(hub, Secret, name, { namespace: dataNamespace, signal });
}
