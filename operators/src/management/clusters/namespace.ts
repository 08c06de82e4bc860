/** Whose the namespace is that has a cluster's name. Pure. */

import { annotations, Cluster } from "@drover/crds";
import { apiVersionOf, type KubeObject, markedOwnerOf } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

const longest = 63;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Why no namespace can have this name; undefined where one can. */
export function nameProblem(name: string): string | undefined {
  if (name.length > longest) {
    return `the cluster's namespace has its name, and ${name.length} characters are more than the ${longest} that a namespace may have: make the cluster anew under a shorter name`;
  }
  if (label.test(name)) return undefined;
  return `the cluster's namespace has its name, and a namespace's consists of a-z, 0-9 and "-": make the cluster anew under such a name`;
}

/** The namespace as it is kept. */
export function desiredNamespace(
  { metadata: { name } }: Cluster,
  more: Readonly<Pick<KubeObject["metadata"], "labels" | "annotations">> = {},
): Namespace {
  return {
    apiVersion: apiVersionOf(Namespace),
    kind: Namespace.kind,
    metadata: {
      name,
      ...(more.labels && Object.keys(more.labels).length > 0 && { labels: more.labels }),
      annotations: { ...more.annotations, [annotations.systemNamespace]: "true" },
    },
  };
}

/**
 * Whether a namespace was made for the cluster: by us, who mark it, or by a Rancher before us, which annotates it as the system's. Those that belong to the
 * system by their name are annotated as well, and are nobody's. A namespace that is taken for a cluster's is deleted with it.
 */
export function isForCluster(
  namespace: Namespace,
  { metadata: { name } }: Pick<Cluster, "metadata">,
  systemNamespaces: ReadonlySet<string>,
): boolean {
  const { annotations: notes, ownerReferences = [] } = namespace.metadata;
  const owned = ownerReferences.some((owner) => owner.kind === Cluster.kind && owner.name === name);
  const marked = markedOwnerOf(namespace);
  if (owned || (marked?.kind === Cluster.kind && marked.metadata.name === name)) return true;
  if (systemNamespaces.has(name) || isSystems(name)) return false;
  return notes?.[annotations.systemNamespace] === "true" && ownerReferences.length === 0;
}

/** Whatever the setting says. */
function isSystems(name: string): boolean {
  return name === "default" || /^(kube|cattle|fleet)-/.test(name);
}
