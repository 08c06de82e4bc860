import { annotations, Project, parseProjectId, projectKeyOf } from "@drover/crds";
import { defaultsForm } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type FromHub,
  type KubeObject,
  type Place,
  related,
} from "kopf-ts";
import { Namespace, ResourceQuota } from "kopf-ts/kinds";
import { controllerName, grantedAnnotation, indexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";
import { affectedProjects, countedFor, memberOf } from "./requests.ts";

const ofCluster: FromHub<Project> = { clusters: ({ metadata }) => [metadata.namespace ?? ""] };

/** Gives the namespaces of a project their quotas, all at once, and tells the project how much of its own is given out. */
export const resourceQuotas: Controller<Project> = {
  name: controllerName,
  watches: Project,
  hub: ofCluster,
  when: changed(({ spec }) => [spec?.resourceQuota, spec?.namespaceDefaultResourceQuota]),
  related: [
    related(Namespace, {
      indexes: { [indexes.member]: memberOf, [indexes.counted]: countedFor },
      when: changed(({ metadata: { annotations, deletionTimestamp, uid } }) => [
        annotations,
        deletionTimestamp,
        uid,
      ]),
      map: (namespace, _cache, { cluster }) => affectedProjects(namespace, cluster),
    }),
    related(ResourceQuota, {
      indexes: { ...defaultsForm.indexes, [indexes.quota]: madeFor },
      when: changed(({ metadata: { labels, annotations, deletionTimestamp }, spec }) => [
        labels,
        annotations,
        deletionTimestamp,
        spec,
      ]),
      map: concernedByQuota,
    }),
  ],
  reconcile,
  gone: forget,
};

/** Key of the Project that a ResourceQuota of ours was made for. */
function madeFor({ metadata }: KubeObject): readonly string[] {
  const id = parseProjectId(metadata.annotations?.[annotations.projectId] ?? "");
  return id === undefined ? [] : [projectKeyOf(id)];
}

/** One that people made may be in the way, and one of ours may have lost its labels; others are told apart later. */
function concernedByQuota(
  quota: ResourceQuota,
  cache: CacheAccess,
  { cluster }: Place,
): readonly string[] {
  const { labels, annotations = {}, namespace = "" } = quota.metadata;
  if (labels === undefined && annotations[grantedAnnotation] === undefined) return [];
  const home = cache(Namespace).get(namespace);
  const here = home === undefined ? [] : affectedProjects(home, cluster);
  return [...here, ...madeFor(quota).filter((key) => key.startsWith(`${cluster}/`))];
}
