import {
  annotations,
  Cluster,
  labels,
  Project,
  projectFinalizer,
  projectOwnerKey,
  Setting,
} from "@drover/crds";
import { type Environment, ownedForm } from "@drover/platform";
import {
  type Controller,
  changed,
  type FromHub,
  owned,
  type Place,
  readable,
  related,
  where,
} from "kopf-ts";
import { ClusterRole, Namespace } from "kopf-ts/kinds";
import { cleanUp } from "./finalize.ts";
import { controllerName, indexes } from "./names.ts";
import { reconcile } from "./reconcile.ts";

const ofCluster: FromHub<Project> = { clusters: ({ metadata }) => [metadata.namespace ?? ""] };
const rolesForm = ownedForm(projectOwnerKey);

/** Makes the ClusterRoles about a project's namespaces, fills the default and the system project, and lets namespaces go when theirs does. */
export function clusterProjects({ env }: { readonly env: Environment }): Controller<Project> {
  return {
    name: controllerName,
    finalizer: projectFinalizer,
    watches: Project,
    hub: ofCluster,
    indexes: {
      [indexes.system]: ({ metadata }) =>
        metadata.labels?.[labels.systemProject] === "true" ? [metadata.namespace ?? ""] : [],
    },
    owns: [owned(ClusterRole, rolesForm)],
    related: [
      related(Namespace, {
        indexes: { [indexes.project]: projectOf },
        when: changed(({ metadata }) => [projectOf({ metadata }), metadata.deletionTimestamp]),
        map: projectKey,
      }),
      related(Setting, {
        hub: true,
        when: where(({ metadata }) => metadata.name === "system-namespaces"),
        map: (_, _cache, { cluster, hub }) => hub(Project).keysByIndex(indexes.system, cluster),
      }),
    ],
    reads: [readable(Cluster, { hub: true, metadataOnly: true })],
    reconcile: (project, context) => reconcile(project, context, env),
    finalize: (project, context) => cleanUp(project, context, env),
  };
}

function projectOf({ metadata }: Pick<Namespace, "metadata">): readonly string[] {
  const id = metadata.annotations?.[annotations.projectId];
  return id ? [id] : [];
}

/** Namespaces may name projects of other hubs, whose cluster has another name. */
function projectKey(namespace: Namespace, _cache: unknown, { cluster }: Place): readonly string[] {
  const ids = projectOf(namespace).filter((id) => id.startsWith(`${cluster}:`));
  return ids.map((id) => id.replace(":", "/"));
}
