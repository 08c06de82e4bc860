import { Cluster, Node } from "@drover/crds";
import { type Controller, changed, related } from "kopf-ts";
import { administrated, conditions, controllerName, nodeIndex } from "./names.ts";
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

const ours: ReadonlySet<string> = new Set(Object.values(conditions));

function allThatCounts({ metadata, spec, status }: Cluster): unknown {
  const told = status?.conditions?.filter(({ type }) => ours.has(type));
  const { driver, version } = status ?? {};
  return [metadata.uid, metadata.annotations?.[administrated], spec, driver, version, told];
}
