import { backingNamespaceOf, Cluster, ClusterRoleTemplateBinding, Project } from "@drover/crds";
import { bindingSources } from "@drover/platform";
import { type CacheAccess, type Controller, changed, type KubeObject, related } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { contentOf } from "./desired.ts";
import { bindingIndexes, controllerName, projectIndexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

const shared = bindingSources(ClusterRoleTemplateBinding, bindingIndexes);

/** Finds whom ClusterRoleTemplateBindings name, and lets them see their cluster and work with its objects on the management cluster. */
export const clusterRoleTemplateBindings: Controller<ClusterRoleTemplateBinding> = {
  name: controllerName,
  watches: ClusterRoleTemplateBinding,
  terminating: true, // to let go of those that a legacy finalizer holds
  indexes: {
    ...shared.indexes,
    [bindingIndexes.cluster]: ({ metadata: { namespace = "" } }) => [namespace],
    [bindingIndexes.content]: (binding) => [contentOf(binding)],
  },
  related: [
    ...shared.related,
    related(Cluster, {
      when: changed(isLeaving), // not how it is reached: a cluster may have thousands of bindings
      map: ({ metadata }, cache) => inCluster(metadata.name, cache),
    }),
    related(Project, {
      indexes: {
        [projectIndexes.cluster]: ({ metadata: { namespace = "" } }) => [namespace],
        [projectIndexes.backingNamespace]: (project) => [backingNamespaceOf(project)],
      },
      when: changed((project) => [isLeaving(project), backingNamespaceOf(project)]),
      map: ({ metadata: { namespace = "" } }, cache) => inCluster(namespace, cache),
    }),
    related(Namespace, { when: changed(isLeaving), map: concernedByNamespace }),
  ],
  reads: shared.reads,
  reconcile,
  gone: forget,
};

/** A namespace may be that of a cluster, or that of a project. */
function concernedByNamespace({ metadata: { name } }: Namespace, cache: CacheAccess): string[] {
  const projects = cache(Project).byIndex(projectIndexes.backingNamespace, name);
  const clusters = new Set([name, ...projects.flatMap(({ metadata }) => metadata.namespace ?? [])]);
  return [...clusters].flatMap((cluster) => inCluster(cluster, cache));
}

function inCluster(cluster: string, cache: CacheAccess): readonly string[] {
  return cache(ClusterRoleTemplateBinding).keysByIndex(bindingIndexes.cluster, cluster);
}

function isLeaving({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}
