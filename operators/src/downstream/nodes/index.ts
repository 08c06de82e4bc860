import { Node, Setting } from "@drover/crds";
import type { Environment } from "@drover/platform";
import { type Controller, type KubeObject, related, where } from "kopf-ts";
import { Node as CoreNode } from "kopf-ts/kinds";
import { nodeOf } from "./desired.ts";
import { byNode, controllerName, ignoreSetting } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

/** Options of nodes. */
export interface NodesOptions {
  /** Overrides settings. */
  readonly env: Environment;
}

const inItsNamespace = {
  clusters: ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ""],
};

/** Keeps a management Node on the hub for each node of a cluster. */
export function nodes({ env }: NodesOptions): Controller<CoreNode> {
  return {
    name: controllerName,
    watches: CoreNode,
    related: [
      related(Node, {
        hub: inItsNamespace,
        indexes: { [byNode]: keyOfNode },
        map: (node) => [nodeOf(node) ?? []].flat(),
      }),
      related(Setting, {
        hub: true,
        when: where(({ metadata }) => metadata.name === ignoreSetting),
        map: (_, cache) => cache(CoreNode).keys(),
      }),
    ],
    reconcile: (node, context) => reconcile(node, context, env),
    gone: forget,
  };
}

function keyOfNode(node: Node): readonly string[] {
  const name = nodeOf(node);
  return name === undefined ? [] : [`${node.metadata.namespace}/${name}`];
}
