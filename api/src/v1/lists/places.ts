/** Lists by namespaces and the projects that they are in (steve: pkg/stores/sqlpartition/listprocessor/processor.go). */

import type { Filter } from "kopf-ts";
import type { Collections } from "../collections/collection.ts";
import type { Places } from "../query/list-query.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";

/** Where namespaces and their labels are known. */
export interface PlaceParts {
  readonly types: Types;
  readonly collections: Collections;
}

/** The column of the label that names a namespace's project. */
const project = "metadata.labels[field.cattle.io/projectId]";

/**
 * The objects in, or not in, some namespaces and projects. Namespaces themselves count by their own names and projects; what is in no namespace is in none of
 * them. Which project a namespace is in is known to everybody who sees anything in it.
 */
export async function placesFilter(
  { op, values }: Places,
  { kind }: ResourceType,
  parts: PlaceParts,
  signal: AbortSignal,
): Promise<Filter> {
  const isIn = await inside(values, kind, parts, signal);
  return op === "in" ? isIn : { not: isIn };
}

async function inside(
  values: readonly string[],
  kind: ResourceType["kind"],
  parts: PlaceParts,
  signal: AbortSignal,
): Promise<Filter> {
  if (kind.group === "" && kind.kind === "Namespace") {
    return { any: [{ column: "metadata.name", op: "in", values }, inProjects(values)] };
  }
  if (kind.scope === "Cluster") return { any: [] };
  const names = await namespacesOf(values, parts, signal);
  return { column: "metadata.namespace", op: "in", values: [...values, ...names] };
}

function inProjects(values: readonly string[]): Filter {
  return { column: project, op: "in", values };
}

async function namespacesOf(
  values: readonly string[],
  { types, collections }: PlaceParts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const type = types.find("namespace");
  if (type === undefined) return [];
  using collection = await collections.use(type, signal);
  const limit = Number.POSITIVE_INFINITY;
  return collection.cache.query({ filter: inProjects(values), limit }).keys;
}
