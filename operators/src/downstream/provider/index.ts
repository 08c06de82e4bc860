import { Cluster, Node } from "@drover/crds";
import { isTrue } from "@drover/platform";
import { type Controller, changed, type KubeObject, related } from "kopf-ts";
import { controllerName, nodesByCluster, providerLabel, ready } from "./names.ts";
import { reconcile } from "./reconcile.ts";

const clusterOf = ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ""];

/** Finds out who provides a cluster. Everything that tells is on the hub already. */
export const provider: Controller<Cluster> = {
  name: controllerName,
  watches: Cluster,
  hub: { clusters: ({ metadata }) => [metadata.name] },
  when: changed((cluster) => [
    cluster.metadata.uid,
    cluster.metadata.labels?.[providerLabel],
    cluster.status?.provider,
    cluster.status?.version?.gitVersion,
    isTrue(cluster, ready),
  ]),
  related: [
    related(Node, {
      hub: { clusters: clusterOf },
      indexes: { [nodesByCluster]: clusterOf },
      when: changed(({ status }) => [status?.nodeName, status?.nodeLabels]),
      map: clusterOf,
    }),
  ],
  reconcile,
};
