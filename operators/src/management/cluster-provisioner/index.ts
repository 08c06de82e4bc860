import { annotations, Cluster, Node } from "@drover/crds";
import { type Controller, changed, related } from "kopf-ts";
import {
  administrated,
  conditions,
  controllerName,
  kubeconfigAccepted,
  nodeIndex,
} from "./names.ts";
import { reconcile } from "./reconcile.ts";

/** Tells how far clusters are on their way to be managed, and of which distribution they are. Their removal asks nothing of it. */
export const clusterProvisioner: Controller<Cluster> = {
  name: controllerName,
  watches: Cluster,
  when: changed(allThatCounts),
  related: [
    related(Node, {
      indexes: { [nodeIndex]: ({ metadata }) => [metadata.namespace ?? ""] },
      when: changed(({ metadata, status }) => [
        metadata.uid,
        Object.keys(status?.nodeLabels ?? {}),
      ]),
      map: ({ metadata }) => [metadata.namespace ?? ""],
    }),
  ],
  reconcile,
};

const heeded: ReadonlySet<string> = new Set([...Object.values(conditions), kubeconfigAccepted]);

function allThatCounts({ metadata, spec, status }: Cluster): unknown {
  const told = status?.conditions?.filter(({ type }) => heeded.has(type));
  const { driver, version } = status ?? {};
  const { [administrated]: other, [annotations.kubeconfigSecret]: kubeconfig } =
    metadata.annotations ?? {};
  return [metadata.uid, other, kubeconfig, spec, driver, version, told];
}
