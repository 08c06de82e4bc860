import { Cluster, Node } from "@drover/crds";
import { type Controller, changed, findCondition, related } from "kopf-ts";
import { controllerName } from "./names.ts";
import { reconcile } from "./reconcile.ts";

/** Keeps the version of a cluster in its status. */
export const clusterVersion: Controller<Cluster> = {
  name: controllerName,
  watches: Cluster,
  hub: { clusters: ({ metadata }) => [metadata.name] },
  when: changed(({ metadata, status }) => [
    metadata.uid,
    status?.version,
    findCondition(status?.conditions, "Ready")?.status,
  ]),
  related: [
    related(Node, {
      hub: { clusters: ({ metadata }) => [metadata.namespace ?? ""] },
      when: changed(kubeletOf), // who upgrades nodes has upgraded the servers before
      map: ({ metadata }) => [metadata.namespace ?? ""],
    }),
  ],
  reconcile,
};

function kubeletOf({ status }: Node): unknown {
  const { nodeInfo } = status?.internalNodeStatus ?? {};
  return typeof nodeInfo === "object" && nodeInfo !== null && "kubeletVersion" in nodeInfo
    ? nodeInfo.kubeletVersion
    : undefined;
}
