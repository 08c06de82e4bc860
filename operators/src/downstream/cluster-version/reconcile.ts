import { isDeepStrictEqual } from "node:util";
import type { Cluster, VersionInfo } from "@drover/crds";
import { type Context, done, messageOf, type Result, requeueAfter } from "kopf-ts";
import { parseVersion } from "./desired.ts";
import { answerLimit, lookAgain, lookEvery, patience } from "./names.ts";

/** Asks the cluster for its version, and writes it where it is another. A cluster that does not answer keeps the one it had. */
export async function reconcile(cluster: Cluster, context: Context): Promise<Result> {
  const version = await ask(context);
  if (version === undefined) return requeueAfter(lookAgain);
  if (!isDeepStrictEqual(cluster.status?.version, version)) {
    await write(cluster, version, context.hub.client);
  }
  // Who upgrades the server's own cluster restarts the server, or nodes tell: a steady server asks it nothing.
  return cluster.spec?.internal === true ? done : requeueAfter(lookEvery);
}

/** The field is ours alone, so that it matters to nobody what else of the status changed meanwhile. */
async function write(
  cluster: Cluster,
  version: VersionInfo,
  hub: Context["client"],
): Promise<void> {
  const blanks = Object.keys(cluster.status?.version ?? {}).map((field) => [field, null]);
  const merge = { status: { version: { ...Object.fromEntries(blanks), ...version } } };
  await hub.patch(cluster, { merge }, { subresource: "status" });
}

/** That it does not answer is for the health check to tell. */
async function ask({ client, log, signal }: Context): Promise<VersionInfo | undefined> {
  try {
    const limits = { timeout: patience, answerLimit, signal };
    const { body } = await client.request({ method: "GET", path: "/version", ...limits });
    const version = parseVersion(body.toString());
    if (version === undefined) log.warn("the cluster's answer to /version is no version");
    return version;
  } catch (error) {
    if (signal.aborted) throw error;
    log.debug("the cluster does not tell its version", { error: messageOf(error) });
    return undefined;
  }
}
