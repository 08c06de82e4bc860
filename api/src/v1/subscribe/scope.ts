/** Which changes a watch is told of, and as what. Pure. */

import { type Kind, matches, type ObjectLabels, type Requirement } from "kopf-ts";
import { nothing, type Reach, reaches } from "../access/access.ts";
import { ownerLabel } from "../own-objects.ts";
import type { Message } from "./message.ts";

/** What a subscriber is told has happened to an object. */
export type EventName = "resource.create" | "resource.change" | "resource.remove";

/** What limits a watch. */
export interface Scope {
  readonly reach: Reach;
  readonly narrow: Narrow;
  /** The caller's own choice: what it leaves out they may see all the same. */
  readonly requirements: readonly Requirement[];
  /** Whose objects alone may be seen, by the user's name; undefined for everybody's. */
  readonly owner?: string | undefined;
  /** Little of each object is shown (`../strangers.ts`). */
  readonly isStranger?: boolean;
}

/** What a subscription itself asks for; undefined for any. */
export interface Narrow {
  /** An object is in all of them: in none, where there are two. */
  readonly namespaces: readonly string[];
  readonly name: string | undefined;
}

/** An object in one of its states, as far as scopes look at it. */
export interface ScopedObject {
  /** Empty outside of namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Undefined where nobody knows them. */
  labels(): ObjectLabels | undefined;
}

/** A change; the object is in the state after it, for DELETED in the last one. */
export interface ScopedChange extends ScopedObject {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** Of the state before a modification; undefined where nobody knows. */
  labelsBefore(): ObjectLabels | undefined;
}

/** `id` is a name, or a namespace and a name. What a type has outside of namespaces is in the empty one. */
export function narrowOf({ namespace, id }: Message, scope: Kind["scope"] = "Namespaced"): Narrow {
  const slash = id.indexOf("/");
  const asked = [namespace, slash < 0 ? "" : id.slice(0, slash)].filter((each) => each !== "");
  const namespaces = scope === "Cluster" ? ["", ...asked] : asked;
  return { namespaces, name: id === "" ? undefined : id.slice(slash + 1) };
}

/** Whether an object is asked for and may be seen, whatever its labels. */
export function isWithin({ reach, narrow }: Scope, namespace: string, name: string): boolean {
  if (narrow.name !== undefined && narrow.name !== name) return false;
  if (narrow.namespaces.some((each) => each !== namespace)) return false;
  return reaches(reach, namespace, name);
}

/** Whether the labels say that an object is one of those that may be seen; where nobody knows them it is none. */
export function isOwn({ owner }: Scope, labels: () => ObjectLabels | undefined): boolean {
  return owner === undefined || labels()?.[ownerLabel] === owner;
}

/** Whether a watch shows an object as it is. */
export function shows(scope: Scope, object: ScopedObject): boolean {
  if (!isWithin(scope, object.namespace, object.name)) return false;
  return isMatch(scope, () => object.labels());
}

const names = {
  ADDED: "resource.create",
  MODIFIED: "resource.change",
  DELETED: "resource.remove",
} as const;

/**
 * What a watch is told of a change; undefined for nothing. As in watches of Kubernetes, an object that no longer matches the selector is removed, and one that begins
 * to match is created, for this watch. (Steve tells `resource.change` of both, so that its clients keep what they did not ask for.)
 */
export function nameFor(scope: Scope, change: ScopedChange): EventName | undefined {
  if (!isWithin(scope, change.namespace, change.name)) return undefined;
  const matchesNow = isMatch(scope, () => change.labels());
  if (change.type !== "MODIFIED") return matchesNow ? names[change.type] : undefined;
  const matchedBefore = isMatch(scope, () => change.labelsBefore());
  if (matchesNow) return matchedBefore ? "resource.change" : "resource.create";
  return matchedBefore ? "resource.remove" : undefined;
}

/** Labels that nobody knows may have matched any selector. */
function isMatch(scope: Scope, labels: () => ObjectLabels | undefined): boolean {
  if (!isOwn(scope, labels)) return false;
  const { requirements } = scope;
  if (requirements.length === 0) return true;
  const known = labels();
  return known === undefined || matches(requirements, known);
}

/** Whether rights have left what a watch shows as it was. They may take requirements out of its selector, and add none. */
export function isSameScope(before: Scope, after: Scope): boolean {
  if (before.requirements.length !== after.requirements.length) return false;
  if (before.owner !== after.owner || before.isStranger !== after.isStranger) return false;
  if (before.reach === after.reach) return true;
  const { narrow } = after;
  return isSameReach(reachWithin(before.reach, narrow), reachWithin(after.reach, narrow));
}

/** What of a reach a subscription asks for; `all` where that is everything that it asks for. */
function reachWithin(reach: Reach, { namespaces, name }: Narrow): Reach {
  const [namespace, ...others] = new Set(namespaces);
  if (others.length > 0) return nothing;
  if (reach === "all") return "all";
  if (namespace === undefined) return name === undefined ? reach : whereReached(reach, name);
  if (name !== undefined) return reaches(reach, namespace, name) ? "all" : nothing;
  if (reach.namespaces.has(namespace)) return "all";
  const named = [...(reach.names.get(namespace) ?? []), ...(reach.names.get("") ?? [])];
  if (named.length === 0) return nothing;
  return { namespaces: new Set(), names: new Map([[namespace, new Set(named)]]) };
}

/** The namespaces in which objects of one name are within reach. */
function whereReached(reach: Exclude<Reach, "all">, name: string): Reach {
  if (reach.names.get("")?.has(name)) return "all";
  const naming = [...reach.names].filter(([, some]) => some.has(name));
  const namespaces = new Set([...reach.namespaces, ...naming.map(([namespace]) => namespace)]);
  return { namespaces, names: new Map() };
}

/** Whether two reaches are the same. */
function isSameReach(one: Reach, other: Reach): boolean {
  if (one === other) return true;
  if (one === "all" || other === "all") return false;
  if (!isSameSet(one.namespaces, other.namespaces)) return false;
  if (one.names.size !== other.names.size) return false;
  for (const [namespace, some] of one.names) {
    const others = other.names.get(namespace);
    if (others === undefined || !isSameSet(some, others)) return false;
  }
  return true;
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false;
  for (const each of one) if (!other.has(each)) return false;
  return true;
}
