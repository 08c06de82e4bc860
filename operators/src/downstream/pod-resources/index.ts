import { nodeNames } from "@drover/crds";
import { type Controller, changed, done, related } from "kopf-ts";
import { Node, Pod } from "kopf-ts/kinds";
import { concerning, nodesOf } from "./desired.ts";
import { controllerName, pause, podsByNode } from "./names.ts";
import { reconcile, type Shared } from "./reconcile.ts";

/** Options that tests change. */
export interface PodResourcesOptions {
  /** Milliseconds between two writes to one node; 15 s unless told. */
  readonly pause?: number;
}

/** Tells on each node of a cluster what its Pods ask for and may use. */
export function podResources(options: PodResourcesOptions = {}): Controller<Node> {
  const shared: Shared = { pause: options.pause ?? pause, written: new Map() };
  return {
    name: controllerName,
    watches: Node,
    when: changed(({ metadata: { uid, annotations } }) => [
      uid,
      annotations?.[nodeNames.podRequests],
      annotations?.[nodeNames.podLimits],
    ]),
    related: [
      related(Pod, {
        indexes: { [podsByNode]: nodesOf },
        when: changed(concerning),
        map: nodesOf,
      }),
    ],
    reconcile: (node, context) => reconcile(node, context, shared),
    gone: async (name, { cluster }) => {
      shared.written.delete(`${cluster}/${name}`);
      return done;
    },
  };
}
