import { annotations, Project, projectSecretLabels } from "@drover/crds";
import {
  type CacheAccess,
  type Controller,
  changed,
  type FromHub,
  type KubeObject,
  keyOf,
  type Place,
  related,
} from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { isCopy, memberOf, ownerOf, sourceKeysOf } from "./desired.ts";
import { controllerName, indexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

const ofLabel: FromHub<Secret> = {
  clusters: ({ metadata }) => {
    const cluster = metadata.labels?.[projectSecretLabels.cluster];
    return cluster ? [cluster] : [];
  },
};
const ofNamespace: FromHub<Project> = { clusters: ({ metadata }) => [metadata.namespace ?? ""] };
const select = { labelSelector: projectSecretLabels.project };

/** Copies the Secrets of a project into each of its namespaces, and takes back copies that are wanted no more. */
export const projectSecrets: Controller<Secret> = {
  name: controllerName,
  watches: Secret,
  hub: ofLabel,
  select,
  indexes: { [indexes.source]: ownerOf },
  related: [
    related(Namespace, {
      indexes: { [indexes.member]: memberOf },
      when: changed(({ metadata: { deletionTimestamp, uid, ...metadata } }) => [
        metadata.annotations?.[annotations.projectId],
        deletionTimestamp,
        uid,
      ]),
      map: (namespace, _cache, place) => memberOf(namespace).flatMap(sourcesIn(place)),
    }),
    related(Project, {
      hub: ofNamespace,
      when: changed(({ metadata, status }) => [
        status?.backingNamespace,
        metadata.deletionTimestamp,
      ]),
      map: concernedByProject,
    }),
    related(Secret, {
      select,
      indexes: {
        [indexes.copy]: (secret) => (isCopy(secret) ? [secret.metadata.name] : []),
        [indexes.copyOf]: (secret) => (isCopy(secret) ? projectNamesOf(secret) : []),
      },
      map: sourceOf,
    }),
  ],
  reconcile,
  gone: forget,
};

function sourcesIn({ hub, cluster }: Place): (project: string) => readonly string[] {
  return (project) =>
    project.startsWith(`${cluster}/`) ? hub(Secret).keysByIndex(indexes.source, project) : [];
}

/** Its sources, and the sources of copies, which may be gone: when a process starts, copies may come before the project that tells where these were. */
function concernedByProject(
  project: Project,
  cache: CacheAccess,
  { hub, cluster }: Place,
): readonly string[] {
  const copies = cache(Secret).byIndex(indexes.copyOf, project.metadata.name);
  const find = () => project;
  const former = copies.flatMap((copy) => sourceKeysOf(copy, cluster, find));
  return [...new Set([...sourcesIn({ hub, cluster })(keyOf(project)), ...former])];
}

function projectNamesOf({ metadata: { labels } }: KubeObject): readonly string[] {
  const name = labels?.[projectSecretLabels.project];
  return name ? [name] : [];
}

/** Where the hub is the cluster, sources are among them; they are no copies. One that lost its label is told by what it was before. */
function sourceOf(secret: Secret, _cache: CacheAccess, { hub, cluster }: Place): readonly string[] {
  if (!isCopy(secret)) return [];
  return sourceKeysOf(secret, cluster, (project) => hub(Project).get(project));
}
