/** Which objects an owner brought along: by Rancher's label, by the marks of applySet, or by an owner reference. Pure. */

import {
  type CacheAccess,
  claimOf,
  type Kind,
  type KubeObject,
  keyOf,
  markedOwnerOf,
  type Owned,
  setIndex,
} from "kopf-ts";

/** An owner, and the label by which Rancher knows what belongs to it. */
export interface Ownership {
  readonly owner: KubeObject;
  readonly label: OwnerLabel;
  /** Whether an object of a wanted name that bears none of our signs is taken over all the same: what an older Rancher made for the owner. */
  readonly adopts?: (live: KubeObject) => boolean;
}

/** A label that names an owner. */
export interface OwnerLabel {
  readonly key: string;
  readonly value: string;
  /** Of the caches: finds by that value what bears the label, or the part of it that is to be looked at; `labelIndex(key)` unless told. */
  readonly index?: string;
}

/**
 * Whether an object was made for the owner, by us or by a Rancher before us. Marks of a set say it all: those of another owner's, or of another hub's (`scope`,
 * as `client.sets` has it), are a stranger's whatever its labels. Without them any one sign is enough, so that one that lost the others is repaired and
 * not taken for a stranger's; a recreated owner takes over what its predecessor left.
 */
export function belongsTo(
  object: KubeObject,
  { owner, label }: Ownership,
  scope?: string,
): boolean {
  const { kind, metadata } = owner;
  if (claimOf(object) !== undefined) {
    const marked = markedOwnerOf(object, scope);
    return marked?.kind === kind && keyOf(marked) === keyOf(owner);
  }
  const { labels, ownerReferences = [] } = object.metadata;
  if (labels?.[label.key] === label.value) return true;
  if (scope !== undefined) return false; // what refers to an owner of that name means one of this cluster
  return ownerReferences.some((each) => each.kind === kind && each.name === metadata.name);
}

/** Name of the index that finds objects by the value of a label. */
export function labelIndex(key: string): string {
  return `label.${key}`;
}

/** What an index finds to bear the label. */
export function labelled(
  cache: CacheAccess,
  kind: Kind,
  { key, value, index = labelIndex(key) }: OwnerLabel,
): readonly KubeObject[] {
  return cache(kind).byIndex(index, value);
}

/** Indexes that the caches of owned kinds need. Make one per label, once: caches are shared, and an index has one function. */
export function ownedForm(labelKey: string): Required<Pick<Owned, "indexes">> {
  const values = ({ metadata }: KubeObject): readonly string[] => {
    const value = metadata.labels?.[labelKey];
    return value === undefined ? [] : [value];
  };
  return { indexes: { [setIndex.name]: setIndex.of, [labelIndex(labelKey)]: values } };
}
