/** From changes in caches to keys. Pure. */

import { markedOwnerOf } from "../apply/index.ts";
import type { CacheChange } from "../cache/index.ts";
import {
  apiVersionOf,
  type Kind,
  type KubeObject,
  keyOf,
  type ObjectRef,
  type OwnerReference,
  type SetDefaults,
} from "../kube/index.ts";
import type { CacheAccess, Place } from "./context.ts";
import type { Controller, Owned, Related } from "./controller.ts";
import type { Change } from "./predicates.ts";

/** A cache's change in the form of predicates: parsed where somebody looks. */
class LazyChange<T extends KubeObject> implements Change<T> {
  readonly #change: CacheChange<T>;

  constructor(change: CacheChange<T>) {
    this.#change = change;
  }

  get type(): Change<T>["type"] {
    return this.#change.type;
  }
  get previous(): T | undefined {
    return this.#change.previous();
  }
  get current(): T | undefined {
    return this.#change.current();
  }
}

/** Whether a change of the object itself is worth a run. */
export function isWorthARun<T extends KubeObject>(
  { when }: Pick<Controller<T>, "when">,
  change: CacheChange<T>,
): boolean {
  if (when === undefined || change.type === "DELETED") return true;
  const lazy = new LazyChange(change);
  return when(lazy) || beginsToGo(lazy);
}

function beginsToGo({ previous, current }: Change): boolean {
  return (
    current?.metadata.deletionTimestamp !== undefined &&
    previous?.metadata.deletionTimestamp === undefined
  );
}

/** Whose objects are looked for. */
export interface Owner {
  readonly kind: Kind;
  /** By which sets of the owners are known where one of them and the objects are of the hub. */
  readonly sets?: SetDefaults | undefined;
  /** Follows ownerReferences without `controller: true` as well. */
  readonly anyOwner?: boolean | undefined;
}

/** Keys of the owners, former and present, of an owned object that changed. */
export function ownerKeys(
  { when, anyOwner = false }: Owned,
  owner: Owner,
  change: CacheChange,
): ReadonlySet<string> {
  const lazy = new LazyChange(change);
  if (when !== undefined && !when(lazy)) return new Set();
  const keys = new Set<string>();
  for (const object of [lazy.current, lazy.previous]) {
    for (const key of object === undefined ? [] : ownersOf(object, { ...owner, anyOwner }))
      keys.add(key);
  }
  return keys;
}

/**
 * Keys of an object's owners of one kind, in whatever version they were written: by its ownerReferences, or by the marks of applySet
 * where no reference may point (out of the owner's namespace, out of the cluster).
 */
export function ownersOf(object: KubeObject, owner: Owner): readonly string[] {
  const keys = owner.sets?.ownersElsewhere === true ? [] : referredOwners(object, owner);
  if (keys.length > 0) return keys;
  const marked = markedOwnerOf(object, owner.sets?.scope);
  return marked !== undefined && pointsTo(owner.kind, marked) ? [keyOf(marked)] : [];
}

function referredOwners({ metadata }: KubeObject, { kind, anyOwner }: Owner): readonly string[] {
  const { namespace, ownerReferences = [] } = metadata;
  return ownerReferences
    .filter(
      (reference) =>
        (anyOwner === true || reference.controller === true) && pointsTo(kind, reference),
    )
    .map(({ name }) =>
      kind.scope === "Cluster" || namespace === undefined ? name : `${namespace}/${name}`,
    );
}

function pointsTo(owner: Kind, { apiVersion, kind }: OwnerReference | ObjectRef): boolean {
  return kind === owner.kind && groupOf(apiVersion) === groupOf(apiVersionOf(owner));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** What mappings read. */
export interface Mapping {
  readonly cache: CacheAccess;
  readonly place: Place;
}

/** Keys that a change of a related object concerns, for its former and its present state. */
export function relatedKeys(
  { when, map }: Related,
  { cache, place }: Mapping,
  change: CacheChange,
): ReadonlySet<string> {
  const lazy = new LazyChange(change);
  if (when !== undefined && !when(lazy)) return new Set();
  const keys = new Set<string>();
  for (const object of [lazy.current, lazy.previous]) {
    for (const key of object === undefined ? [] : map(object, cache, place)) keys.add(key);
  }
  return keys;
}
