/** Which project a namespace belongs to, as its annotation says: `<cluster>:<project>`. Pure. */

import type { KubeObject } from "kopf-ts";
import { annotations, isObjectName } from "../names.ts";

/** A project as namespaces and bindings name it. */
export interface ProjectId {
  readonly cluster: string;
  readonly project: string;
}

/** The parts of `<cluster>:<project>`; undefined for anything else, also where a part is nothing that an object can be called. */
export function parseProjectId(text: string): ProjectId | undefined {
  const [cluster = "", project = "", ...rest] = text.split(":");
  const isId = isObjectName(cluster) && isObjectName(project) && rest.length === 0;
  return isId ? { cluster, project } : undefined;
}

/** The project that a namespace is in; undefined for none, also where the annotation is no project's id. */
export function projectIdOf({ metadata }: KubeObject): ProjectId | undefined {
  return parseProjectId(metadata.annotations?.[annotations.projectId] ?? "");
}

/** The key of the Project in caches of the management cluster. */
export function projectKeyOf({ cluster, project }: ProjectId): string {
  return `${cluster}/${project}`;
}
