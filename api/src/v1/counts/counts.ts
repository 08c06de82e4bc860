/** How many objects of each type a caller sees, and how they are (steve: pkg/resources/counts). Pure. */

import { type Access, isNothing, type Reach } from "../access/access.ts";
import type { Inventory, Standing, Tally, TypeInventory } from "../inventory/inventory.ts";
import { sumOf, tallyOf } from "../inventory/tallies.ts";
import { seesOwnOnly } from "../own-objects.ts";
import { isStranger } from "../strangers.ts";
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

/** What is counted of one type. */
export interface Tallied {
  readonly total: Tally;
  readonly namespaces: ReadonlyMap<string, Tally>;
}

/** The counts of one type, as `talliedOf` finds them. */
export function countOf(
  parts: CountsParts,
  type: ResourceType,
  access: Access,
): ItemCount | "unread" | undefined {
  const tallied = talliedOf(parts, type, access);
  return tallied === undefined || tallied === "unread" ? tallied : itemCount(tallied);
}

/**
 * What the caller sees of one type: costs its namespaces, and the names that the caller has rights to. Undefined for one that the caller may not list, that has no counts, or
 * of which the caller sees only their own: callers with equal rights share what is counted. `unread` for one that the inventory has not read yet: how many there are is not known.
 */
export function talliedOf(
  { inventory, isListed }: CountsParts,
  type: ResourceType,
  access: Access,
): Tallied | "unread" | undefined {
  if (!isCacheable(type) || !isListed(type, access) || seesOwnOnly(type, access)) return undefined;
  const objects = inventory.of(type.id);
  if (objects?.synced !== true) return "unread";
  const tallied = within(objects, reachOf(type, access));
  return isStranger(type, access) ? numberOnly(tallied) : tallied;
}

/** How objects are is not shown to everybody who sees that they are there. */
function numberOnly({ total: { count } }: Tallied): Tallied {
  return { total: { ...empty.total, count }, namespaces: empty.namespaces };
}

/** The ids of objects that count for the caller may be told by `list` and by `get`. */
function reachOf({ kind }: ResourceType, access: Access): Reach {
  const reach = access.reach(["list", "get"], kind);
  return isNothing(reach, kind.scope) ? access.listed(kind) : reach;
}

function within(objects: TypeInventory, reach: Reach): Tallied {
  if (reach === "all") return objects;
  if (objects.type.kind.scope === "Cluster") {
    const total = tallyOf(named(objects, "", reach.names.get("") ?? []));
    return { total, namespaces: new Map() };
  }
  const namespaces = new Map<string, Tally>();
  for (const namespace of common(reach.namespaces, objects.namespaces)) {
    const tally = objects.namespaces.get(namespace);
    if (tally !== undefined) namespaces.set(namespace, tally);
  }
  addNamed(namespaces, objects, reach);
  return { total: sumOf(namespaces.values()), namespaces };
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

const empty: Tallied = { total: tallyOf([]), namespaces: new Map() };

function itemCount({ total, namespaces }: Tallied): ItemCount {
  const entries = [...namespaces].map(([name, tally]) => [name, summaryOf(tally)] as const);
  return {
    summary: summaryOf(total),
    ...(entries.length > 0 && { namespaces: Object.fromEntries(entries) }),
  };
}

/** A tally as /v1 shows it. */
export function summaryOf({ count, errors, transitioning, inProgress }: Tally): Summary {
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
