/** The project of a binding, and those of namespaces. */

import { annotations, Project, type ProjectId, projectKeyOf } from "@drover/crds";
import { findInHub } from "@drover/platform";
import type { CacheAccess, Context, KubeObject } from "kopf-ts";

/** A project of the cluster. */
export function projectIn(id: ProjectId, context: Context): Promise<Project | undefined> {
  return findInHub(Project, projectKeyOf(id), context);
}

/** Whether the cache knows a project. */
export function isKnown(id: ProjectId, hub: CacheAccess): boolean {
  return hub(Project).has(projectKeyOf(id));
}

/** What a namespace says of its project, `<cluster>:<project>`. Only the annotation is asked about who may change it. */
export function projectOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.projectId];
}
