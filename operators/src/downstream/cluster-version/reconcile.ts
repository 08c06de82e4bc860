import type { Cluster, VersionInfo } from "@drover/crds";
import { type Context, messageOf, patchStatus, type Result, requeueAfter } from "kopf-ts";
import { parseVersion } from "./desired.ts";
import { lookAgain, lookEvery, patience } from "./names.ts";

/** Asks the cluster for its version, and writes it where it is another. A cluster that does not answer keeps the one it had. */
export async function reconcile(cluster: Cluster, context: Context): Promise<Result> {
  const version = await ask(context);
  if (version === undefined) return requeueAfter(lookAgain);
  await patchStatus(context.hub.client, cluster, { ...cluster.status, version });
  return requeueAfter(lookEvery);
}

/** That it does not answer is for the health check to tell. */
async function ask({ client, log, signal }: Context): Promise<VersionInfo | undefined> {
  try {
    const request = { method: "GET", path: "/version", timeout: patience, signal } as const;
    const { body } = await client.request(request);
    const version = parseVersion(body.toString());
    if (version === undefined) log.warn("the cluster's answer to /version is no version");
    return version;
  } catch (error) {
    if (signal.aborted) throw error;
    log.debug("the cluster does not tell its version", { error: messageOf(error) });
    return undefined;
  }
}
