/** Lets every concern that looks after an object tell what it would do about it. */

import { annotations, Cluster, idOfProject, localClusterName, Project } from "@drover/crds";
import { unrehearsed } from "@drover/operators";
import { claimantsOf, claimIndex, managementCluster } from "@drover/platform";
import {
  type AnyController,
  type Client,
  type Kind,
  type KubeObject,
  keyOf,
  markedOwnerOf,
  messageOf,
  type Rehearsal,
  rehearse,
  resourceName,
  setLabel,
} from "kopf-ts";
import { reachCluster } from "../clusters.ts";
import type { Part } from "./report.ts";
import type { Target } from "./target.ts";

/** As the server names its field managers. */
const fieldManagerPrefix = "drover-";

/** Where objects of a set name it. */
const setIdAnnotation = "objectset.rio.cattle.io/id";

/** Where to look. */
export interface Surroundings {
  readonly hub: Client;
  readonly concerns: {
    readonly management: readonly AnyController[];
    readonly downstream: readonly AnyController[];
  };
  /** The only cluster to look at. */
  readonly only: string | undefined;
}

/** What was found. */
export interface Explained {
  readonly object: KubeObject;
  readonly parts: readonly Part[];
}

/** A concern, for one cluster. */
interface Assignment {
  readonly controller: AnyController;
  readonly cluster: string;
  readonly isDownstream: boolean;
}

/** Rehearses one after the other. Throws an Error where there is no such object, and where nothing looks after its kind. */
export async function rehearseAll(target: Target, around: Surroundings): Promise<Explained> {
  const object = await objectOf(target, around);
  const parts: Part[] = [];
  for (const assignment of await assignmentsOf(object, target.kind, around)) {
    parts.push(await partOf(assignment, object, around.hub));
  }
  if (parts.length === 0) {
    throw new Error(`no concern looks after ${resourceName(target.kind)} there`);
  }
  return { object, parts };
}

/** Namespaces are those of the cluster that is asked about, everything else is in the hub. */
async function objectOf(
  { kind, name, namespace }: Target,
  { hub, only = localClusterName }: Surroundings,
): Promise<KubeObject> {
  const home = kind.group === "" ? only : localClusterName;
  await using reached = await reachCluster(hub, home);
  const found = await reached.client.find(kind, name, { namespace });
  if (found !== undefined) return found;
  throw new Error(`there is no ${kind.kind} ${[namespace, name].filter(Boolean).join("/")}`);
}

async function assignmentsOf(
  object: KubeObject,
  kind: Kind,
  { hub, concerns, only }: Surroundings,
): Promise<readonly Assignment[]> {
  const looksAfter = ({ watches, name }: AnyController): boolean =>
    resourceName(watches) === resourceName(kind) && !unrehearsed.has(name);
  const all = [
    ...concerns.management
      .filter(looksAfter)
      .map((controller) => ({ controller, cluster: localClusterName, isDownstream: false })),
    ...(
      await Promise.all(
        concerns.downstream.filter(looksAfter).map(async (controller) =>
          (
            await clustersOf(controller, object, hub, only)
          ).map((cluster) => ({
            ...{ controller, cluster },
            isDownstream: true,
          })),
        ),
      )
    ).flat(),
  ];
  return all.filter(({ cluster }) => only === undefined || cluster === only);
}

/** The clusters that an object concerns: those that the declaration names, or all. */
async function clustersOf(
  { hub: declared }: AnyController,
  object: KubeObject,
  hub: Client,
  only = localClusterName,
): Promise<readonly string[]> {
  if (declared === undefined) return [only];
  if (declared !== true && declared.clusters !== undefined) return declared.clusters(object);
  const { items } = await hub.list(Cluster);
  return items.map(({ metadata }) => metadata.name);
}

/** What cannot be told stops nobody else. */
async function partOf(
  { controller, cluster, isDownstream }: Assignment,
  object: KubeObject,
  hub: Client,
): Promise<Part> {
  const about = { concern: controller.name, cluster };
  try {
    if (!isDownstream) {
      const rehearsal = await rehearse(controller, object, { client: hub, fieldManagerPrefix });
      const claimed = await claimedBy(object, controller, { client: hub, in: managementCluster });
      return { ...about, rehearsal: withClaimed(rehearsal, claimed) };
    }
    await using reached = await reachCluster(hub, cluster);
    const { client } = reached;
    const deps = { client, hub: { client: hub }, cluster, fieldManagerPrefix };
    const rehearsal = await rehearse(controller, object, deps);
    const place = { client, in: cluster };
    const claimed = await claimedBy(object, controller, place);
    const kept = await keptFor(object, controller, place);
    return { ...about, rehearsal: withClaimed(rehearsal, [...claimed, ...kept]) };
  } catch (error) {
    return { ...about, obstacle: messageOf(error) };
  }
}

interface Place {
  readonly client: Client;
  readonly in: string;
}

/** What a concern that owns nothing by declaration keeps in namespaces: quotas and limits of a project, policies of a namespace. Told by its marks. */
async function keptFor(
  object: KubeObject,
  { name, related = [], owns }: AnyController,
  { client, in: cluster }: Place,
): Promise<readonly KubeObject[]> {
  if (owns !== undefined) return [];
  const set = `${fieldManagerPrefix}${name}`;
  const sets = [set, `${set}@${cluster}`];
  const here = related.filter(({ hub }) => hub === undefined);
  const marked = { labelSelector: setLabel };
  const lists = await Promise.all(here.map(({ kind }) => client.list(kind, marked)));
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
async function claimedBy(
  object: KubeObject,
  { related = [], watches }: AnyController,
  { client, in: cluster }: Place,
): Promise<readonly KubeObject[]> {
  const key = keyOf(object);
  const shared = related.filter(({ indexes = {} }) => claimIndex.name in indexes);
  const lists = await Promise.all(shared.map(({ kind }) => client.list(kind)));
  return lists
    .flatMap(({ items }) => items)
    .filter((each) => claimantsOf(each, watches, cluster).includes(key));
}

function withClaimed(rehearsal: Rehearsal, claimed: readonly KubeObject[]): Rehearsal {
  return { ...rehearsal, owned: [...rehearsal.owned, ...claimed] };
}
