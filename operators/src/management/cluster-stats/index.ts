import { Cluster, Node } from "@drover/crds";
import { type Controller, changed, done, related } from "kopf-ts";
import { conditions, controllerName, nodeIndex, pause } from "./names.ts";
import { Pauses } from "./pauses.ts";
import { reconcile } from "./reconcile.ts";

/** Options that tests change. */
export interface StatsOptions {
  /** Milliseconds between two sums of one cluster; 10 s unless told. */
  readonly pause?: number;
}

/** Sums up the nodes of each cluster: how many, what they can carry, what is asked of them, and whether they are under pressure. */
export function clusterStats(options: StatsOptions = {}): Controller<Cluster> {
  const pauses = new Pauses(options.pause ?? pause);
  return {
    name: controllerName,
    watches: Cluster,
    when: changed(allThatIsOurs),
    related: [
      related(Node, {
        indexes: { [nodeIndex]: ({ metadata }) => [metadata.namespace ?? ""] },
        when: changed(({ metadata, spec, status }) => [metadata.uid, spec, status]),
        map: ({ metadata }) => [metadata.namespace ?? ""],
      }),
    ],
    reconcile: (cluster, context) => reconcile(cluster, context, pauses),
    gone: async (name) => {
      pauses.forget(name);
      return done;
    },
  };
}

const ours: ReadonlySet<string> = new Set(Object.values(conditions));

/** What we wrote, so that it is put back where somebody changed it. */
function allThatIsOurs({ metadata, status = {} }: Cluster): unknown {
  const { capacity, allocatable, requested, limits, nodeCount } = status;
  const told = status.conditions?.filter(({ type }) => ours.has(type));
  const workers = [status.linuxWorkerCount, status.windowsWorkerCount];
  return [metadata.uid, capacity, allocatable, requested, limits, nodeCount, workers, told];
}
