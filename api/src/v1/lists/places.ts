/** Lists by namespaces and the projects that they are in (steve: pkg/stores/sqlpartition/listprocessor/processor.go). */

import type { Filter } from "kopf-ts";
import type { Collections } from "../collections/collection.ts";
import type { Places } from "../query/list-query.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import type { OtherTypes } from "./other-types.ts";

/** Where namespaces and their labels are known. */
export interface PlaceParts {
  readonly types: Types;
  readonly collections: Collections;
}

/** Of what, and for whom. */
export interface Placing {
  readonly type: ResourceType;
  readonly signal: AbortSignal;
  /** Told what is looked at. */
  readonly others: OtherTypes;
}

/** The column of the label that names a namespace's project. */
const project = "metadata.labels[field.cattle.io/projectId]";

/**
 * The objects in, or not in, some namespaces and projects. Namespaces themselves count by their own names and projects; what is in no namespace is in none of
 * them. Which project a namespace is in is known to everybody who sees anything in it.
 */
export async function placesFilter(
  { op, values }: Places,
  placing: Placing,
  parts: PlaceParts,
): Promise<Filter> {
  const isIn = await inside(values, placing, parts);
  return op === "in" ? isIn : { not: isIn };
}

async function inside(
  values: readonly string[],
  placing: Placing,
  parts: PlaceParts,
): Promise<Filter> {
  const { kind } = placing.type;
  if (kind.group === "" && kind.kind === "Namespace") {
    return { any: [{ column: "metadata.name", op: "in", values }, inProjects(values)] };
  }
  if (kind.scope === "Cluster") return { any: [] };
  const names = await namespacesOf(values, placing, parts);
  return { column: "metadata.namespace", op: "in", values: [...values, ...names] };
}

function inProjects(values: readonly string[]): Filter {
  return { column: project, op: "in", values };
}

async function namespacesOf(
  values: readonly string[],
  { signal, others }: Placing,
  { types, collections }: PlaceParts,
): Promise<readonly string[]> {
  const type = types.find("namespace");
  if (type === undefined) return [];
  using collection = await collections.use(type, signal);
  others.add(collection);
  const limit = Number.POSITIVE_INFINITY;
  return collection.cache.query({ filter: inProjects(values), limit }).keys;
}
