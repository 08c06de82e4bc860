import { backingNamespaceOf, Project, projectSecretLabels } from "@drover/crds";
import { type Controller, changed, related } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { controllerName, indexes } from "./names.ts";
import { reconcile } from "./reconcile.ts";

const { project, cluster } = projectSecretLabels;

/** Labels the Secrets that a project shares with its namespaces with their cluster, by which that cluster's controllers find them. */
export const projectSecretClusters: Controller<Secret> = {
  name: controllerName,
  watches: Secret,
  select: { labelSelector: `${project},!${cluster}` },
  indexes: { [indexes.home]: ({ metadata }) => [metadata.namespace ?? ""] },
  related: [
    related(Project, {
      indexes: { [indexes.backing]: (each) => [backingNamespaceOf(each)] },
      when: changed(backingNamespaceOf),
      map: (each, cache) => cache(Secret).keysByIndex(indexes.home, backingNamespaceOf(each)),
    }),
  ],
  reconcile,
};
