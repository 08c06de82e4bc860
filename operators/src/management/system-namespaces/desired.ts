/** Which namespaces are ours, and what they look like. */

import { dataNamespace, labels, localWorkspaceName, systemNamespace } from "@drover/crds";
import { Namespace } from "kopf-ts/kinds";

type Labels = Readonly<Record<string, string>>;

const managed: Labels = { [labels.managedBy]: "rancher" };

/**
 * Our namespaces with the labels they have to have. Names of third parties in the setting system-namespaces are not among them: those are
 * made by whoever needs them.
 */
const ours: ReadonlyMap<string, Labels> = new Map<string, Labels>([
  [systemNamespace, managed],
  [localWorkspaceName, managed],
  ["cattle-ui-plugin-system", managed],
  ["cattle-local-user-passwords", {}],
  ["cattle-tokens", {}],
  ["cattle-fleet-system", {}],
  ["cattle-impersonation-system", {}],
  ["cattle-telemetry-system", {}],
  ["rancher-operator-system", {}],
  ["cattle-csp-adapter-system", {}],
  ["cattle-scc-system", {}],
  ["fleet-default", {}],
  [dataNamespace, {}],
]);

/** Those that are there before anything else works: all but the marker. */
export const earlyNamespaces: readonly string[] = [...ours.keys()].filter(
  (name) => name !== dataNamespace,
);

/** Whether a namespace of this name is ours. */
export function isSystemNamespace(name: string): boolean {
  return ours.has(name);
}

/** The namespace as it is made. */
export function newNamespace(name: string): Namespace {
  return {
    apiVersion: "v1",
    kind: Namespace.kind,
    metadata: { name, labels: { ...ours.get(name) } },
  };
}

/** Labels that the namespace lacks; undefined if it has all of them. What others set beside ours is theirs. */
export function missingLabels({ metadata }: Namespace): Labels | undefined {
  const wanted = Object.entries(ours.get(metadata.name) ?? {});
  const missing = wanted.filter(([key, value]) => metadata.labels?.[key] !== value);
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
