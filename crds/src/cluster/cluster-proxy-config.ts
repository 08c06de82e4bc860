import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** Lets service account tokens of the cluster named like its namespace through the proxy; without one they are refused. */
export interface ClusterProxyConfig extends KubeObject {
  readonly enabled: boolean;
}

export const ClusterProxyConfig: Kind<ClusterProxyConfig> = managementKind(
  "ClusterProxyConfig",
  "clusterproxyconfigs",
  "Namespaced",
);
