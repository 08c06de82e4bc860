/** What exists because of an object and bears no owner reference and no mark of `owns`. */

import { annotations, idOfProject, Project } from "@drover/crds";
import { claimantsOf, claimIndex } from "@drover/platform";
import {
  type AnyController,
  type Client,
  type KubeObject,
  keyOf,
  markedOwnerOf,
  setLabel,
} from "kopf-ts";

/** As the server names its field managers. */
export const fieldManagerPrefix = "drover-";

/** Where objects of a set name it. */
const setIdAnnotation = "objectset.rio.cattle.io/id";

/** A cluster to look into. */
export interface Place {
  readonly client: Client;
  /** How marks name it. */
  readonly in: string;
  readonly signal: AbortSignal;
}

/** What a concern that owns nothing by declaration keeps in namespaces: quotas and limits of a project, policies of a namespace. Told by its marks. */
export async function keptFor(
  object: KubeObject,
  { name, related = [], owns }: AnyController,
  { client, in: cluster, signal }: Place,
): Promise<readonly KubeObject[]> {
  if (owns !== undefined) return [];
  const set = `${fieldManagerPrefix}${name}`;
  const sets = [set, `${set}@${cluster}`];
  const here = related.filter(({ hub }) => hub === undefined);
  const marked = { labelSelector: setLabel };
  const lists = await Promise.all(here.map(({ kind }) => client.list(kind, { ...marked, signal })));
  return lists
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => sets.includes(metadata.annotations?.[setIdAnnotation] ?? ""))
    .filter((each) => isFor(each, object, cluster));
}

function isFor(kept: KubeObject, object: KubeObject, cluster: string): boolean {
  const owner = markedOwnerOf(kept) ?? markedOwnerOf(kept, cluster);
  if (owner?.kind === object.kind && keyOf(owner) === keyOf(object)) return true;
  const project = kept.metadata.annotations?.[annotations.projectId];
  return object.kind === Project.kind && project === idOfProject(object);
}

/** What the object has together with others, of the kinds that the concern shares: no owner reference and no mark tells of it. */
export async function claimedBy(
  object: KubeObject,
  { related = [], watches }: AnyController,
  { client, in: cluster, signal }: Place,
): Promise<readonly KubeObject[]> {
  const key = keyOf(object);
  const shared = related.filter(({ indexes = {} }) => claimIndex.name in indexes);
  const lists = await Promise.all(shared.map(({ kind }) => client.list(kind, { signal })));
  return lists
    .flatMap(({ items }) => items)
    .filter((each) => claimantsOf(each, watches, cluster).includes(key));
}
