/** How many objects of each type a caller sees, and how they are (steve: pkg/resources/counts). Pure. */

import { systemClock } from "kopf-ts";
import { type Access, isNothing, type Reach } from "../access/access.ts";
import type { Inventory, Standing, Tally, TypeInventory } from "../inventory/inventory.ts";
import { sumOf, tallyOf } from "../inventory/tallies.ts";
import { seesOwnOnly } from "../own-objects.ts";
import { isCacheable, type ResourceType, type Types } from "../types/resource-type.ts";

/** Counts as /v1 shows them: what is zero is left out. */
export interface Summary {
  readonly count?: number;
  readonly states?: Readonly<Record<string, number>>;
  readonly errors?: number;
  readonly transitioning?: number;
}

/** The counts of one type. */
export interface ItemCount {
  readonly summary: Summary;
  readonly namespaces?: Readonly<Record<string, Summary>>;
}

/** What counts are made of. */
export interface CountsParts {
  readonly types: Pick<Types, "all" | "find">;
  readonly inventory: Pick<Inventory, "of">;
  /** Whether a caller may list a type, if only to see nothing of it. */
  readonly isListed: (type: ResourceType, access: Access) => boolean;
}

/** Milliseconds of work between two turns of the event loop; of the real clock. */
const slice = 5;

/** The counts of all types that the caller may list; lets others have the process. Rejects with the signal's reason. */
export async function countsOf(
  parts: CountsParts,
  access: Access,
  signal: AbortSignal,
): Promise<Readonly<Record<string, ItemCount>>> {
  const counts: Record<string, ItemCount> = {};
  let until = systemClock.monotonic() + slice;
  for (const type of parts.types.all()) {
    const count = countOf(parts, type, access);
    if (count !== undefined) counts[type.id] = count;
    if (systemClock.monotonic() < until) continue;
    await new Promise(setImmediate);
    signal.throwIfAborted();
    until = systemClock.monotonic() + slice;
  }
  return counts;
}

/**
 * The counts of one type: costs its namespaces, and the names that the caller has rights to. Undefined for one that the caller may not list, that has no counts, or
 * of which the caller sees only their own: callers with equal rights share what is counted. A type that the inventory does not have (yet) has none of anything.
 */
export function countOf(
  { inventory, isListed }: CountsParts,
  type: ResourceType,
  access: Access,
): ItemCount | undefined {
  if (!isCacheable(type) || !isListed(type, access) || seesOwnOnly(type, access)) return undefined;
  const objects = inventory.of(type.id);
  return objects === undefined ? empty : within(objects, reachOf(type, access));
}

/** The ids of objects that count for the caller may be told by `list` and by `get`. */
function reachOf({ kind }: ResourceType, access: Access): Reach {
  const reach = access.reach(["list", "get"], kind);
  return isNothing(reach, kind.scope) ? access.listed(kind) : reach;
}

function within(objects: TypeInventory, reach: Reach): ItemCount {
  if (reach === "all") return itemCount(objects.total, objects.namespaces);
  if (objects.type.kind.scope === "Cluster") {
    return itemCount(tallyOf(named(objects, "", reach.names.get("") ?? [])), new Map());
  }
  const namespaces = new Map<string, Tally>();
  for (const namespace of common(reach.namespaces, objects.namespaces)) {
    const tally = objects.namespaces.get(namespace);
    if (tally !== undefined) namespaces.set(namespace, tally);
  }
  addNamed(namespaces, objects, reach);
  return itemCount(sumOf(namespaces.values()), namespaces);
}

/** Names of a namespace and names in every namespace, where the namespace does not count as a whole. */
function addNamed(
  namespaces: Map<string, Tally>,
  objects: TypeInventory,
  { namespaces: whole, names }: Exclude<Reach, "all">,
): void {
  const everywhere = names.get("") ?? [];
  const places = names.has("") ? objects.namespaces.keys() : common(names, objects.namespaces);
  for (const namespace of places) {
    if (whole.has(namespace)) continue;
    const all = new Set([...everywhere, ...(names.get(namespace) ?? [])]);
    const tally = tallyOf(named(objects, namespace, all));
    if (tally.count > 0) namespaces.set(namespace, tally);
  }
}

function* named(
  objects: TypeInventory,
  namespace: string,
  names: Iterable<string>,
): Generator<Standing, void> {
  for (const name of names) {
    const standing = objects.standingOf(namespace, name);
    if (standing !== undefined) yield standing;
  }
}

interface Keys {
  readonly size: number;
  has(key: string): boolean;
  keys(): Iterable<string>;
}

/** The keys of both, at the cost of the smaller. */
function* common(a: Keys, b: Keys): Generator<string, void> {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  for (const key of fewer.keys()) if (more.has(key)) yield key;
}

const empty: ItemCount = { summary: {} };

function itemCount(total: Tally, namespaces: ReadonlyMap<string, Tally>): ItemCount {
  const entries = [...namespaces].map(([name, tally]) => [name, summaryOf(tally)] as const);
  return {
    summary: summaryOf(total),
    ...(entries.length > 0 && { namespaces: Object.fromEntries(entries) }),
  };
}

function summaryOf({ count, errors, transitioning, inProgress }: Tally): Summary {
  const states = {
    ...(errors > 0 && { error: errors }),
    ...(inProgress > 0 && { "in-progress": inProgress }),
  };
  return {
    ...(count > 0 && { count }),
    ...(errors + inProgress > 0 && { states }),
    ...(errors > 0 && { errors }),
    ...(transitioning > 0 && { transitioning }),
  };
}
