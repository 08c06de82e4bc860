import {
  backingNamespaceOf,
  Cluster,
  GlobalRole,
  Project,
  ProjectRoleTemplateBinding,
  parseProjectId,
  projectKeyOf,
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
  keyOf,
  readable,
  related,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from "kopf-ts/kinds";
import { bindingIndexes, controllerName } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

const claimed = {
  indexes: { [claimIndex.name]: claimIndex.of, [legacyIndex.name]: legacyIndex.of },
  map: (object: KubeObject) => claimantsOf(object, ProjectRoleTemplateBinding, managementCluster),
};

/** Finds whom ProjectRoleTemplateBindings name, and lets them see their project and work with its objects on the management cluster. */
export const projectRoleTemplateBindings: Controller<ProjectRoleTemplateBinding> = {
  name: controllerName,
  watches: ProjectRoleTemplateBinding,
  terminating: true, // to let go of those that a legacy finalizer holds
  indexes: {
    [bindingIndexes.template]: ({ roleTemplateName }) => [
      roleTemplateNames.ownerLabel(roleTemplateName),
    ],
    [bindingIndexes.user]: ({ userName }) => (userName ? [userName] : []),
    [bindingIndexes.project]: ({ projectName }) => {
      const id = parseProjectId(projectName);
      return id === undefined ? [] : [projectKeyOf(id)];
    },
    [bindingIndexes.cluster]: ({ projectName }) => {
      const id = parseProjectId(projectName);
      return id === undefined ? [] : [id.cluster];
    },
    [bindingIndexes.namespace]: ({ metadata: { namespace = "" } }) => [namespace],
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
      map: ({ metadata }, cache) => bindingsBy(bindingIndexes.user, metadata.name, cache),
    }),
    related(Project, {
      when: changed((project) => [isLeaving(project), backingNamespaceOf(project)]),
      map: (project, cache) => bindingsBy(bindingIndexes.project, keyOf(project), cache),
    }),
    related(Cluster, {
      metadataOnly: true,
      when: changed(isLeaving),
      map: ({ metadata }, cache) => bindingsBy(bindingIndexes.cluster, metadata.name, cache),
    }),
    related(Namespace, {
      when: changed(isLeaving),
      map: ({ metadata: { name } }, cache) => [
        ...bindingsBy(bindingIndexes.namespace, name, cache),
        ...bindingsBy(bindingIndexes.cluster, name, cache),
      ],
    }),
  ],
  reads: [
    readable(GlobalRole, { indexes: { [globalRolesForNewUsers.name]: globalRolesForNewUsers.of } }),
  ],
  reconcile,
  gone: forget,
};

function ofTemplates(owners: readonly string[], cache: CacheAccess): readonly string[] {
  return owners.flatMap((owner) => bindingsBy(bindingIndexes.template, owner, cache));
}

function bindingsBy(index: string, value: string, cache: CacheAccess): readonly string[] {
  return cache(ProjectRoleTemplateBinding).keysByIndex(index, value);
}

function isLeaving({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}
