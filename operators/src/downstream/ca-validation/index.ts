import { Cluster, systemNamespace } from "@drover/crds";
import { type Controller, changed, findCondition, related, where } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { controllerName, reportSecret, strictCheck } from "./names.ts";
import { reconcile } from "./reconcile.ts";

/** Tells of each cluster whether its agent could do with the server's own CA bundle alone, so that agent-tls-mode may become strict. */
export const caValidation: Controller<Cluster> = {
  name: controllerName,
  watches: Cluster,
  hub: { clusters: ({ metadata }) => [metadata.name] },
  when: changed(({ metadata, spec, status }) => [
    metadata.uid,
    metadata.annotations,
    spec?.internal,
    findCondition(status?.conditions, strictCheck),
  ]),
  related: [
    related(Secret, {
      select: { namespace: systemNamespace },
      when: where(({ metadata }) => metadata.name === reportSecret),
      map: (_, __, { cluster }) => [cluster],
    }),
  ],
  reconcile,
};
