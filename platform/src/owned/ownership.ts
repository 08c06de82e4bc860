/** Which objects an owner brought along: by Rancher's label, by the marks of applySet, or by an owner reference. Pure. */

import { type KubeObject, markedOwnerOf, type Owned, setIndex } from "kopf-ts";

/** An owner, and the label by which Rancher knows what belongs to it. */
export interface Ownership {
  readonly owner: KubeObject;
  readonly label: { readonly key: string; readonly value: string };
}

/**
 * Whether an object was made for the owner, by us or by a Rancher before us. Any one sign is enough, so that one that lost the others is repaired and
 * not taken for a stranger's; a recreated owner takes over what its predecessor left.
 */
export function belongsTo(object: KubeObject, { owner, label }: Ownership): boolean {
  const { labels, ownerReferences = [] } = object.metadata;
  if (labels?.[label.key] === label.value) return true;
  const { kind, metadata } = owner;
  if (ownerReferences.some((each) => each.kind === kind && each.name === metadata.name))
    return true;
  const marked = markedOwnerOf(object);
  return marked?.kind === kind && marked.metadata.name === metadata.name;
}

/** Name of the index that finds objects by the value of a label. */
export function labelIndex(key: string): string {
  return `label.${key}`;
}

/** Indexes that the caches of owned kinds need. Make one per label, once: caches are shared, and an index has one function. */
export function ownedForm(labelKey: string): Required<Pick<Owned, "indexes">> {
  const values = ({ metadata }: KubeObject): readonly string[] => {
    const value = metadata.labels?.[labelKey];
    return value === undefined ? [] : [value];
  };
  return { indexes: { [setIndex.name]: setIndex.of, [labelIndex(labelKey)]: values } };
}
