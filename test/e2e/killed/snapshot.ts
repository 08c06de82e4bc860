/** What a cluster holds, without what differs from one run to the next. */

import {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  Token,
  User,
  UserAttribute,
} from "@drover/crds";
import type { Client, Kind, KubeObject } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Secret } from "kopf-ts/kinds";

const kinds: readonly Kind[] = [
  ...[User, UserAttribute, GlobalRole, GlobalRoleBinding, Token, ClusterRoleTemplateBinding],
  ...[ClusterRole, ClusterRoleBinding, Role, RoleBinding],
];
const secretNamespaces = ["cattle-tokens", "cattle-local-user-passwords"];

/** Each object as one line, sorted: equal when the clusters are, and a duplicate is one more. */
export async function snapshot(client: Client): Promise<readonly string[]> {
  return (await everything(client)).map(normalized).toSorted();
}

/** Names and versions: equal when nothing was written in between. */
export async function versions(client: Client): Promise<readonly string[]> {
  return (await everything(client)).map(({ kind, metadata }) => {
    const { namespace = "", name, resourceVersion } = metadata;
    return `${kind} ${namespace}/${name} ${resourceVersion}`;
  });
}

async function everything(client: Client): Promise<readonly KubeObject[]> {
  const lists = [
    ...kinds.map((kind) => client.list<KubeObject>(kind)),
    ...secretNamespaces.map((namespace) => client.list<KubeObject>(Secret, { namespace })),
  ];
  const found = (await Promise.all(lists)).flatMap(({ items }) => items);
  const internal = new Set(["kube-system", "kube-public"]);
  return found.filter(({ metadata }) => !internal.has(metadata.namespace ?? ""));
}

/** An object as one line. Names that contain a hash of a uid differ from run to run, and so does what is hashed of them. */
export function normalized({ kind, metadata, ...rest }: KubeObject): string {
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = metadata;
  const owners = (ownerReferences ?? []).map((each) => `${each.kind} ${each.name}`);
  const isLeaving = metadata.deletionTimestamp !== undefined;
  const kept = { name, namespace, labels, annotations, finalizers, owners, isLeaving };
  return JSON.stringify(sorted({ kind, ...kept, ...rest }), plain)
    .replaceAll(/\b(grb-)[0-9a-f]{10,12}\b/g, "$1#")
    .replaceAll(/\b(claim\.drover\.dev\/)[0-9a-f]+/g, "$1#")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "time");
}

const hashed = new Set(["objectset.rio.cattle.io/hash", "kopf-ts.dev/applied"]);

function plain(key: string, value: unknown): unknown {
  if (hashed.has(key)) return "#";
  return key.startsWith("observedGeneration") ? undefined : value;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
