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

/** Conditions are in the order of their last change, and tell of passing states. */
function line(object: KubeObject): string {
  const { annotations = {} } = object.metadata;
  const { [status]: _, ...others } = annotations;
  const metadata = { ...object.metadata, annotations: others };
  return normalized({ ...object, metadata });
}

const status = "cattle.io/status";
