import {
  backingNamespaceOf,
  clustersOfProjectBinding,
  idOfProject,
  Project,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  roleTemplateLabels,
  roleTemplateNames,
} from "@drover/crds";
import { claimantsOf, claimIndex, downstreamLegacyIndex } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type KubeObject,
  type Place,
  related,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from "kopf-ts/kinds";
import { controllerName, indexes, namespacesOf } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";
import { projectOf } from "./sources.ts";

const claimed = { indexes: { [claimIndex.name]: claimIndex.of } };
const bindingForm = {
  indexes: { ...claimed.indexes, [downstreamLegacyIndex.name]: downstreamLegacyIndex.of },
};

/** Makes the bindings of each ProjectRoleTemplateBinding in the cluster of its project. */
export const projectRoleTemplateBindings: Controller<ProjectRoleTemplateBinding> = {
  name: controllerName,
  watches: ProjectRoleTemplateBinding,
  hub: { clusters: clustersOfProjectBinding },
  terminating: true, // while somebody's finalizer holds it, it grants nothing any more
  indexes: {
    [indexes.project]: ({ projectName }) => [projectName],
    [indexes.template]: (binding) => byCluster(binding, binding.roleTemplateName),
    [indexes.templateLabel]: (binding) =>
      byCluster(binding, roleTemplateNames.ownerLabel(binding.roleTemplateName)),
  },
  related: [
    related(RoleBinding, { ...bindingForm, map: claimants }),
    related(ClusterRoleBinding, { ...bindingForm, map: claimants }),
    related(ClusterRole, {
      ...claimed,
      when: changed(({ metadata, rules }) => [
        metadata.uid,
        metadata.labels,
        metadata.annotations,
        metadata.deletionTimestamp,
        rules,
      ]),
      map: (role, _, place) => [...claimants(role, _, place), ...grantees(role, place)],
    }),
    related(RoleTemplate, {
      hub: true,
      when: changed(({ metadata, external }) => [metadata.uid, external]),
      map: ({ metadata }, _, { cluster, hub }) =>
        bindingsBy(indexes.template, `${cluster}/${metadata.name}`, hub),
    }),
    related(Namespace, {
      indexes: { [namespacesOf]: (namespace) => list(projectOf(namespace)) },
      when: changed((namespace) => [
        namespace.metadata.uid,
        namespace.metadata.deletionTimestamp,
        projectOf(namespace),
      ]),
      map: (namespace, _, { hub }) =>
        list(projectOf(namespace)).flatMap((text) => bindingsBy(indexes.project, text, hub)),
    }),
    related(Project, {
      hub: { clusters: ({ metadata }) => list(metadata.namespace) },
      when: changed((project) => [project.metadata.uid, backingNamespaceOf(project)]),
      map: concernedByProject,
    }),
  ],
  reconcile,
  gone: forget,
};

function claimants(object: KubeObject, _: unknown, { cluster }: Place): readonly string[] {
  return claimantsOf(object, ProjectRoleTemplateBinding, cluster);
}

/** Bindings to the template that a ClusterRole was made for: what it allows in the end, or outside of namespaces, has changed. */
function grantees({ metadata }: ClusterRole, { cluster, hub }: Place): readonly string[] {
  const owner = metadata.labels?.[roleTemplateLabels.clusterRoleOwner];
  if (owner === undefined) return [];
  return bindingsBy(indexes.templateLabel, `${cluster}/${owner}`, hub);
}

/** Its own bindings, and those of other projects that have something in namespaces that name it: until now nobody knew what to do about them. */
function concernedByProject(project: Project, cache: CacheAccess, place: Place): readonly string[] {
  const text = idOfProject(project);
  const left = cache(Namespace)
    .keysByIndex(namespacesOf, text)
    .flatMap((namespace) => cache(RoleBinding).list({ namespace }))
    .flatMap((binding) => claimants(binding, undefined, place));
  return [...bindingsBy(indexes.project, text, place.hub), ...left];
}

function bindingsBy(index: string, value: string, hub: CacheAccess): readonly string[] {
  return hub(ProjectRoleTemplateBinding).keysByIndex(index, value);
}

function byCluster(binding: ProjectRoleTemplateBinding, value: string): readonly string[] {
  return clustersOfProjectBinding(binding).map((cluster) => `${cluster}/${value}`);
}

function list(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}
