/** What a binding refers to. A cache that does not know it is not believed, since rights would be taken away by it. */

import { annotations, Project, type ProjectId, projectKeyOf } from "@drover/crds";
import {
  type CacheAccess,
  type Context,
  type Kind,
  type KubeObject,
  parseKey,
  TemporaryError,
} from "kopf-ts";

/** An object of the hub; undefined when its server says that there is none. */
export async function find<T extends KubeObject>(
  kind: Kind<T>,
  key: string,
  { hub }: Context,
): Promise<T | undefined> {
  const cached = hub.cache(kind).get(key);
  if (cached !== undefined) return cached;
  const { name, namespace } = parseKey(key);
  if ((await hub.client.find(kind, name, { namespace })) === undefined) return undefined;
  throw new TemporaryError(`the cache does not show ${kind.kind} ${key} yet`, { delay: 1000 });
}

/** A project of the cluster. */
export function projectIn(id: ProjectId, context: Context): Promise<Project | undefined> {
  return find(Project, projectKeyOf(id), context);
}

/** Whether the cache knows a project. */
export function isKnown(id: ProjectId, hub: CacheAccess): boolean {
  return hub(Project).has(projectKeyOf(id));
}

/** What a namespace says of its project, `<cluster>:<project>`. Only the annotation is asked about who may change it. */
export function projectOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.projectId];
}
