import {
  backingNamespaceOf,
  Cluster,
  Project,
  ProjectRoleTemplateBinding,
  parseProjectId,
  projectKeyOf,
} from "@drover/crds";
import { bindingSources } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type KubeObject,
  keyOf,
  related,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { bindingIndexes, controllerName } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

const shared = bindingSources(ProjectRoleTemplateBinding, bindingIndexes);

/** Finds whom ProjectRoleTemplateBindings name, and lets them see their project and work with its objects on the management cluster. */
export const projectRoleTemplateBindings: Controller<ProjectRoleTemplateBinding> = {
  name: controllerName,
  watches: ProjectRoleTemplateBinding,
  terminating: true, // to let go of those that a legacy finalizer holds
  indexes: {
    ...shared.indexes,
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
    ...shared.related,
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
  reads: shared.reads,
  reconcile,
  gone: forget,
};

function bindingsBy(index: string, value: string, cache: CacheAccess): readonly string[] {
  return cache(ProjectRoleTemplateBinding).keysByIndex(index, value);
}

function isLeaving({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}
