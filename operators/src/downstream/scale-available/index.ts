import { agentNames, systemNamespace } from "@drover/crds";
import { type Controller, changed, related } from "kopf-ts";
import { Deployment, Node } from "kopf-ts/kinds";
import { wantedReplicas } from "./desired.ts";
import { annotated, controllerName } from "./names.ts";
import { reconcile } from "./reconcile.ts";

/** Scales Deployments of the system that ask for it to the nodes that there are. */
export const scaleAvailable: Controller<Deployment> = {
  name: controllerName,
  watches: Deployment,
  select: { namespace: systemNamespace },
  when: changed(({ metadata, spec }) => [
    metadata.annotations?.[agentNames.scaleAvailable],
    spec?.replicas,
    spec?.template.spec.nodeSelector,
    spec?.template.spec.affinity,
  ]),
  indexes: {
    [annotated]: (deployment) => (wantedReplicas(deployment) === undefined ? [] : ["true"]),
  },
  related: [
    related(Node, {
      when: changed(({ metadata: { uid, labels } }) => [uid, labels]),
      map: (_, cache) => cache(Deployment).keysByIndex(annotated, "true"),
    }),
  ],
  reconcile,
};
