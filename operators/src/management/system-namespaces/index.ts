import { type Controller, where } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { missingLabels } from "./desired.ts";
import { controllerName } from "./names.ts";
import { keep, recreate } from "./reconcile.ts";

/** Makes system namespaces again that somebody deleted. */
export function systemNamespaces(): Controller<Namespace> {
  return {
    name: controllerName,
    watches: Namespace,
    when: where((namespace) => missingLabels(namespace) !== undefined),
    reconcile: keep,
    gone: recreate,
  };
}
