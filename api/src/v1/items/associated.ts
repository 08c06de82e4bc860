/** metadata.associatedData: how the Pods of a workload are, or the Jobs of a CronJob (steve: pkg/stores/sqlproxy/proxy_store.go, AugmentRelationships). */

import type { Cache } from "kopf-ts";
import type { Collection } from "../collections/collection.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { at, isTrueAt, textAt } from "../tree.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import type { Others } from "./others.ts";
import type { Piece } from "./piece.ts";
import type { Pieces } from "./pieces.ts";

/** Children by the id of a type. */
const children: Readonly<Record<string, string | undefined>> = {
  "apps.deployment": "pod",
  "apps.daemonset": "pod",
  "apps.replicaset": "pod",
  "apps.statefulset": "pod",
  "batch.job": "pod",
  "batch.cronjob": "batch.job",
};

/** The type whose objects are told of with those of this type; undefined where there is none. */
export function associatedType(
  { id }: Pick<ResourceType, "id">,
  types: Pick<Types, "find">,
): ResourceType | undefined {
  const child = Object.hasOwn(children, id) ? children[id] : undefined;
  return child === undefined ? undefined : types.find(child);
}

/** More children of one object that the caller sees are not told of. */
const most = 500;

/** What tells of children. */
export interface AssociationParts {
  readonly collection: Collection;
  readonly inventory: Inventory | undefined;
  readonly types: Types;
  readonly pieces: Pieces;
  readonly others: Others;
  readonly now: number;
}

/** `"associatedData":[...]` with a comma behind it, by the name of the children; empty where there are none that the caller may read. */
export function associatedText(typeId: string, piece: Piece, parts: AssociationParts): string {
  const { kind } = parts.collection.type;
  const data = seenOf(typeId, piece, parts).flatMap(({ key, name }) => {
    const state = stateOf(key, parts);
    return state === undefined ? [] : [{ childName: name, state }];
  });
  if (data.length === 0) return "";
  const gvk = { group: kind.group, kind: kind.kind, version: kind.version };
  return `"associatedData":${JSON.stringify([{ data, gvk }])},`;
}

/** The children that the caller sees, up to `most`. */
function seenOf(
  typeId: string,
  piece: Piece,
  parts: AssociationParts,
): readonly { readonly key: string; readonly name: string }[] {
  const { collection, others } = parts;
  const seen: { readonly key: string; readonly name: string }[] = [];
  for (const key of keysOf(typeId, piece, parts)) {
    const { namespace, name } = placeOf(key);
    if (others.sees(collection.type.id, namespace, name)) seen.push({ key, name });
    if (seen.length === most) break;
  }
  return seen;
}

/** Pods are found by the selector of their workload, Jobs by their owner. */
function keysOf(typeId: string, piece: Piece, parts: AssociationParts): readonly string[] {
  const { cache, type } = parts.collection;
  if (type.id === "pod") return selected(cache, piece);
  const { namespace, name } = piece.identity;
  const inbound = parts.inventory?.inbound(typeId, namespace, name) ?? [];
  const owned = inbound.filter((each) => each.typeId === type.id && each.rel === "owner");
  const keys = owned
    .map((each) => `${each.namespace}/${each.name}`)
    .filter((key) => cache.has(key));
  return keys.toSorted();
}

function selected(cache: Cache, { edges, identity }: Piece): readonly string[] {
  const labels = edges.findLast(({ selector }) => selector !== "")?.selector;
  if (labels === undefined) return [];
  const within = { column: "metadata.namespace", op: "=", value: identity.namespace } as const;
  const limit = Number.POSITIVE_INFINITY; // who sees few of them is to be told of these
  return cache.query({ filter: { all: [within, { labels }] }, limit }).keys;
}

function stateOf(
  key: string,
  { collection: { cache, type }, types, pieces, now }: AssociationParts,
): object | undefined {
  const kept = pieces.of({ type, types, now }, cache, key);
  if (kept === undefined) return undefined;
  const state = at(JSON.parse(`{${kept.piece.state}}`), "state");
  return {
    error: String(isTrueAt(state, "error")),
    message: textAt(state, "message"),
    name: textAt(state, "name"),
    transitioning: String(isTrueAt(state, "transitioning")),
  };
}

function placeOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}
