import { namespaceAnnotations, Project } from "@drover/crds";
import { defaultsForm } from "@drover/platform";
import { type Controller, changed, type FromHub, keyOf, related } from "kopf-ts";
import { LimitRange, Namespace } from "kopf-ts/kinds";
import { memberOf } from "./desired.ts";
import { controllerName, indexes } from "./names.ts";
import { reconcile } from "./reconcile.ts";

const ofCluster: FromHub<Project> = { clusters: ({ metadata }) => [metadata.namespace ?? ""] };

/** Keeps the LimitRange of a namespace that says what containers get which say nothing themselves. */
export const containerLimits: Controller<Namespace> = {
  name: controllerName,
  watches: Namespace,
  when: changed((namespace) => [
    memberOf(namespace),
    namespace.metadata.annotations?.[namespaceAnnotations.containerDefaultResourceLimit],
  ]),
  indexes: { [indexes.member]: memberOf },
  related: [
    related(Project, {
      hub: ofCluster,
      when: changed(({ spec }) => spec?.containerDefaultResourceLimit),
      map: (project, cache) => cache(Namespace).keysByIndex(indexes.member, keyOf(project)),
    }),
    related(LimitRange, {
      indexes: defaultsForm.indexes,
      map: ({ metadata }) => [metadata.namespace ?? ""],
    }),
  ],
  reconcile,
};
