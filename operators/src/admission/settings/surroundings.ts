/** What the rules of settings look at besides the change itself. */

import { Cluster, localClusterName, Setting } from "@drover/crds";
import { type Environment, liveSettings, type SettingSurroundings } from "@drover/platform";
import { type CacheAccess, findCondition } from "kopf-ts";

/** Index of clusters that would lose the server if agents became strict. */
export const looseIndex = "admission/loose-agent-tls";

const loose = "loose";

/** For the index: whether nobody knows that the cluster's agent trusts the server by `cacerts` alone. The local cluster has no agent. */
export function isLoose({ metadata, status }: Cluster): readonly string[] {
  if (metadata.name === localClusterName) return [];
  const checked = findCondition(status?.conditions ?? [], "AgentTlsStrictCheck");
  return checked?.status === "True" ? [] : [loose];
}

/** Values in force and clusters, from caches that follow the server. */
export function surroundings(cache: CacheAccess, env: Environment): SettingSurroundings {
  const live = liveSettings(cache(Setting), env);
  return {
    env,
    current: live.text,
    looseClusters: () => cache(Cluster).keysByIndex(looseIndex, loose),
  };
}
