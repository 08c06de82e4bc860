/** Turns what a reconciler wants into what is sent. */

import { apiVersionOf, type Kind, type KubeObject, keyOf, type ObjectRef } from "../kube/index.ts";
import { nameOf } from "./apply-error.ts";
import { contentHash } from "./differences.ts";
import { appliedAnnotation, appliedValue, type Marks, setLabel } from "./marks.ts";
import { canOwn, ownerReference } from "./owner.ts";

/** How members point to their owner: as the one that manages them, as one of several, or not at all. */
export type OwnerReferenceMode = "controller" | "plain" | "none";

/** What every member gets besides its own fields. */
export interface Dressing {
  readonly marks: Marks;
  readonly owner: ObjectRef | undefined;
  readonly ownerReference: OwnerReferenceMode;
}

/** The object with the set's marks, its owner reference where scopes allow one, and the hash of all of it. */
export function dress(
  object: KubeObject,
  { marks, owner, ownerReference: mode }: Dressing,
): KubeObject {
  const { labels, annotations, ownerReferences = [] } = object.metadata;
  const owners =
    owner !== undefined && mode !== "none" && canOwn(owner, object)
      ? [...ownerReferences, ownerReference(owner, { controller: mode === "controller" })]
      : ownerReferences;
  const marked = {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, [setLabel]: marks.hash },
      annotations: { ...annotations, ...marks.annotations },
      ...(owners.length > 0 ? { ownerReferences: owners } : {}),
    },
  };
  const value = appliedValue(object, contentHash(marked));
  const { metadata } = marked;
  return {
    ...marked,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [appliedAnnotation]: value } },
  };
}

/** Groups the objects by kind; throws a TypeError for what can only be a mistake in the caller, before anything is sent. */
export function groupByKind(
  objects: readonly KubeObject[],
  kinds: readonly Kind[],
): ReadonlyMap<Kind, readonly KubeObject[]> {
  const groups = new Map<Kind, KubeObject[]>(kinds.map((kind) => [kind, []]));
  const seen = new Set<string>();
  for (const object of objects) {
    const kind = kinds.find((each) => isOf(each, object));
    if (kind === undefined) {
      throw new TypeError(`${nameOf(object)}: its kind is in neither prune nor keep`);
    }
    if ((kind.scope === "Namespaced") !== Boolean(object.metadata.namespace)) {
      throw new TypeError(`${nameOf(object)}: ${kind.kind} is ${kind.scope.toLowerCase()}`);
    }
    const name = nameOf(object);
    if (seen.has(`${object.apiVersion} ${name}`)) throw new TypeError(`${name} is wanted twice`);
    seen.add(`${object.apiVersion} ${name}`);
    groups.get(kind)?.push(object);
  }
  return groups;
}

/** Whether the object is of that kind, in that version. */
export function isOf(kind: Kind, object: ObjectRef): boolean {
  return object.kind === kind.kind && object.apiVersion === apiVersionOf(kind);
}

/** Keys of objects of one kind. */
export function keysOf(objects: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(objects.map(keyOf));
}
