/** Lists of what belongs to an object, by owner references at any depth: the Pods of a Deployment. */

import type { Clock, Filter } from "kopf-ts";
import { type Access, isNothing, reaches } from "../access/access.ts";
import type { Inventory, ObjectId } from "../inventory/inventory.ts";
import { problem } from "../problem.ts";
import { shorten } from "../query/field.ts";
import type { OwnerName } from "../query/owner.ts";
import { isHidden, methodsOf } from "../schemas/index.ts";
import type { Slices } from "../slices.ts";
import { isStranger } from "../strangers.ts";
import { isCacheable, type ResourceType, type Types } from "../types/resource-type.ts";

/** Where owners are known. */
export interface OwnerParts {
  readonly types: Types;
  readonly inventory: Inventory;
  readonly clock: Clock;
}

/** Whose list of what belongs to `owner` it is, and of which type. */
export interface Owned {
  readonly owner: ObjectId;
  readonly type: ResourceType;
  readonly access: Access;
  readonly slices: Slices;
  readonly signal: AbortSignal;
  /** Told what the list lacks. */
  readonly warn: (text: string) => void;
}

/** Milliseconds to wait for types whose owners are not known yet, and between two looks. */
const patience = 2000;
const glance = 50;

/** The owner that was named. Throws a Problem for a type that the caller knows nothing of, whether there is one or not, and for a place where it has no objects. */
export function ownerOf(
  { type: text, ...place }: OwnerName,
  access: Access,
  types: Types,
): ObjectId {
  const type = types.find(text);
  if (type === undefined || isHidden(methodsOf(type, access))) {
    throw problem("InvalidFormat", `there is no type ${shorten(text)}`, "owner");
  }
  const isNamespaced = type.kind.scope === "Namespaced";
  if (isNamespaced === (place.namespace !== undefined)) {
    return { typeId: type.id, namespace: place.namespace ?? "", name: place.name };
  }
  const form = isNamespaced ? `${type.id}/<namespace>/<name>` : `${type.id}/<name>`;
  throw problem("InvalidFormat", `owner must be ${form}`, "owner");
}

/**
 * What belongs to an owner. One that the caller may neither get nor list is as if it did not exist, and so is each object between: what only such objects lead to is not
 * in the list, since it would tell what they say of themselves. Waits a little for owners that are not known yet; then throws a Problem (503) when they are those of the
 * type itself, and warns of the others.
 */
export async function ownedBy(owned: Owned, parts: OwnerParts): Promise<Filter> {
  const { owner, type, access, warn, slices } = owned;
  if (!isCacheable(type))
    throw problem("InvalidOption", `nobody follows who owns ${type.id}`, "owner");
  const unknown = await unknownYet(owned, parts);
  if (unknown.includes(type.id)) {
    throw problem("ClusterUnavailable", `it is not known yet who owns ${type.id}: ask again`);
  }
  if (unknown.length > 0) {
    warn(`owners are not known yet of ${shorten(unknown.join(", "))}`);
  }
  const names = new Map<string, Set<string>>();
  const isSeen = sight(access, parts.types);
  const found = isSeen(owner) ? parts.inventory.descendants(owner, isSeen) : [];
  for (const { typeId, namespace, name } of found) {
    if (typeId === type.id) namesIn(names, namespace).add(name);
    await slices.rest();
  }
  return { within: { namespaces: new Set(), names } };
}

function namesIn(names: Map<string, Set<string>>, namespace: string): Set<string> {
  const known = names.get(namespace) ?? new Set();
  names.set(namespace, known);
  return known;
}

/** Whether somebody may read an object: lists show it whole, or `get` is allowed. */
function sight(access: Access, types: Types): (object: ObjectId) => boolean {
  const known = new Map<string, (object: ObjectId) => boolean>();
  const sightOf = (typeId: string): ((object: ObjectId) => boolean) => {
    const type = types.find(typeId);
    if (type === undefined || isStranger(type, access)) return () => false;
    const { kind } = type;
    const [listed, got] = [access.listed(kind), access.reach(["get"], kind)];
    return ({ namespace, name }) =>
      reaches(listed, namespace, name) || reaches(got, namespace, name);
  };
  return (object) => {
    const isSeen = known.get(object.typeId) ?? sightOf(object.typeId);
    known.set(object.typeId, isSeen);
    return isSeen(object);
  };
}

/** Types that the caller may read and whose owners are not known, after a wait. What cannot be listed at all is not waited for. */
async function unknownYet(
  { access, signal }: Owned,
  { types, inventory, clock }: OwnerParts,
): Promise<readonly string[]> {
  const until = clock.monotonic() + patience;
  const isRead = ({ kind }: ResourceType): boolean =>
    !isNothing(access.reach(["get", "list"], kind), kind.scope);
  for (;;) {
    const wanted = [...types.all()].filter((type) => isCacheable(type) && isRead(type));
    const unknown = wanted.map(({ id }) => id).filter((id) => !inventory.of(id)?.synced);
    const isHopeless = (id: string): boolean =>
      inventory.of(id)?.cache.watchState.phase === "degraded";
    if (unknown.every(isHopeless) || clock.monotonic() >= until) return unknown;
    await clock.sleep(glance, signal);
  }
}
