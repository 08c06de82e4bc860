import {
  backingNamespaceOf,
  Cluster,
  ClusterRoleTemplateBinding,
  GlobalRole,
  Project,
  RoleTemplate,
  roleTemplateLabels,
  roleTemplateNames,
  User,
} from "@drover/crds";
import {
  affectedTemplates,
  claimantsOf,
  claimIndex,
  globalRolesForNewUsers,
  inheritsIndex,
  legacyIndex,
  managementCluster,
  templatesOf,
  usersByPrincipal,
} from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type KubeObject,
  readable,
  related,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from "kopf-ts/kinds";
import { contentOf } from "./desired.ts";
import { bindingIndexes, controllerName, projectIndexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

const claimed = {
  indexes: { [claimIndex.name]: claimIndex.of, [legacyIndex.name]: legacyIndex.of },
  map: (object: KubeObject) => claimantsOf(object, ClusterRoleTemplateBinding, managementCluster),
};

/** Finds whom ClusterRoleTemplateBindings name, and lets them see their cluster and work with its objects on the management cluster. */
export const clusterRoleTemplateBindings: Controller<ClusterRoleTemplateBinding> = {
  name: controllerName,
  watches: ClusterRoleTemplateBinding,
  terminating: true, // to let go of those that a legacy finalizer holds
  indexes: {
    [bindingIndexes.template]: ({ roleTemplateName }) => [
      roleTemplateNames.ownerLabel(roleTemplateName),
    ],
    [bindingIndexes.user]: ({ userName }) => (userName ? [userName] : []),
    [bindingIndexes.cluster]: ({ metadata: { namespace = "" } }) => [namespace],
    [bindingIndexes.content]: (binding) => [contentOf(binding)],
  },
  related: [
    related(ClusterRoleBinding, claimed),
    related(RoleBinding, claimed),
    related(ClusterRole, {
      when: changed(({ metadata: { labels, deletionTimestamp }, rules }) => [
        labels?.[roleTemplateLabels.clusterRoleOwner],
        deletionTimestamp,
        rules,
      ]),
      map: (role, cache) => ofTemplates(templatesOf(role, cache), cache),
    }),
    related(RoleTemplate, {
      indexes: { [inheritsIndex.name]: inheritsIndex.of },
      when: changed(({ metadata: { uid, generation } }) => [uid, generation]),
      map: ({ metadata }, cache) => ofTemplates(affectedTemplates(metadata.name, cache), cache),
    }),
    related(User, {
      indexes: { [usersByPrincipal.name]: usersByPrincipal.of },
      when: changed(({ metadata, principalIds }) => [isLeaving({ metadata }), principalIds]),
      map: ({ metadata }, cache) =>
        cache(ClusterRoleTemplateBinding).keysByIndex(bindingIndexes.user, metadata.name),
    }),
    related(Cluster, {
      metadataOnly: true,
      when: changed(isLeaving),
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
  reads: [
    readable(GlobalRole, { indexes: { [globalRolesForNewUsers.name]: globalRolesForNewUsers.of } }),
  ],
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

function ofTemplates(owners: readonly string[], cache: CacheAccess): readonly string[] {
  return owners.flatMap((owner) =>
    cache(ClusterRoleTemplateBinding).keysByIndex(bindingIndexes.template, owner),
  );
}

function isLeaving({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}
