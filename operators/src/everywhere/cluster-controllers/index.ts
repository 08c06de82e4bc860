import { Cluster, dataNamespace, Feature, Setting } from "@drover/crds";
import { type Controller, done, related } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { Checks, usualPace } from "./checks.ts";
import { credentialKeyOf } from "./facts.ts";

import { byCredential, controllerName } from "./names.ts";
import { type ClusterControllersOptions, follow } from "./reconcile.ts";

export { Fleet } from "./fleet.ts";
export { fleetTask } from "./task.ts";

/** As many as there may be clusters: one that hangs keeps nobody waiting. */
const concurrency = 1000;

/** Decides which clusters this replica works for, and tells whether they answer. */
export function clusterControllers(options: ClusterControllersOptions): Controller<Cluster> {
  const { fleet, pace = usualPace } = options;
  const shared = {
    ...options,
    checks: new Checks(fleet, pace),
    failures: new Map<string, number>(),
  };
  return {
    name: controllerName,
    watches: Cluster,
    indexes: { [byCredential]: credentialOf },
    related: [
      related(Secret, {
        select: { namespace: dataNamespace },
        map: ({ metadata: { name } }, cache) =>
          cache(Cluster).keysByIndex(byCredential, `${dataNamespace}/${name}`),
      }),
    ],
    reads: [Setting, Feature],
    terminating: true,
    concurrency,
    reconcile: (cluster, context) => follow(cluster, context, shared),
    gone: async (name) => {
      fleet.forget(name);
      shared.checks.forget(name);
      return done;
    },
  };
}

function credentialOf(cluster: Cluster): readonly string[] {
  const key = credentialKeyOf(cluster);
  return key === undefined ? [] : [key];
}
