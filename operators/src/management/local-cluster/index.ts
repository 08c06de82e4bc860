import { Cluster, localClusterName } from "@drover/crds";
import { type Controller, related, where } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import type { LocalClusterOptions } from "./desired.ts";
import { controllerName } from "./names.ts";
import { reconcile, recreate } from "./reconcile.ts";

/** Keeps the Cluster `local` and its namespace. */
export function localCluster(options: LocalClusterOptions = {}): Controller<Cluster> {
  return {
    name: controllerName,
    watches: Cluster,
    when: where(({ metadata }) => metadata.name === localClusterName),
    related: [
      related(Namespace, {
        when: where(({ metadata }) => metadata.name === localClusterName),
        map: () => [localClusterName],
      }),
    ],
    reconcile: (cluster, context) => reconcile(cluster, context, options),
    gone: (name, context) => recreate(name, context, options),
  };
}
