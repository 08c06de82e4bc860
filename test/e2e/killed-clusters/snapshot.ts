/** What two clusters hold of what controllers make, without what differs from one run to the next. */

import {
  Cluster,
  ClusterRoleTemplateBinding,
  Project,
  ProjectRoleTemplateBinding,
  RoleTemplate,
} from "@drover/crds";
import { type KubeObject, keyOf } from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  LimitRange,
  Namespace,
  NetworkPolicy,
  ResourceQuota,
  Role,
  RoleBinding,
  ServiceAccount,
} from "kopf-ts/kinds";
import { normalized } from "../killed/snapshot.ts";
import { type Pair, type Side, sides } from "../pair.ts";

const everywhere = [
  ...[Namespace, ClusterRole, ClusterRoleBinding, Role, RoleBinding],
  ...[ServiceAccount, ResourceQuota, LimitRange, NetworkPolicy],
];
const kinds = {
  hub: [
    ...everywhere,
    ...[Cluster, Project, RoleTemplate],
    ...[ClusterRoleTemplateBinding, ProjectRoleTemplateBinding],
  ],
  cluster: everywhere,
} as const;

/** Each object as one line, sorted. */
export async function snapshot(pair: Pair): Promise<readonly string[]> {
  const lines = await Promise.all(
    sides.map(async (side) => (await held(pair, side)).map((each) => `${side} ${line(each)}`)),
  );
  return lines.flat().toSorted();
}

/** `kind key uid`: which of the objects a condition holds for, and whether they are still the same. */
export async function identities(
  pair: Pair,
  isMeant: (object: KubeObject) => boolean,
): Promise<readonly string[]> {
  const found = await Promise.all(sides.map((side) => held(pair, side)));
  return found
    .flat()
    .filter(isMeant)
    .map((object) => `${object.kind} ${keyOf(object)} ${object.metadata.uid}`)
    .toSorted();
}

async function held(pair: Pair, side: Side): Promise<readonly KubeObject[]> {
  const lists = kinds[side].map((kind) => pair[side].client.list<KubeObject>(kind));
  return (await Promise.all(lists)).flatMap(({ items }) => items);
}

/** Finalizers and conditions are in the order in which they came; those of a namespace in an annotation. */
function line(object: KubeObject & { readonly status?: unknown }): string {
  const { annotations = {}, finalizers = [], ...others } = object.metadata;
  const { [namespaceStatus]: _, ...kept } = annotations;
  const metadata = { ...others, annotations: kept, finalizers: finalizers.toSorted() };
  return normalized({ ...object, ...{ metadata, status: inOrder(object.status) } });
}

function inOrder(status: unknown): unknown {
  const { conditions, ...others } = Object(status) as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return status;
  const keyed = conditions.map((each) => ({ each, type: String(Object(each).type) }));
  const sorted = keyed.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return { ...others, conditions: sorted.map(({ each }) => each) };
}

const namespaceStatus = "cattle.io/status";
