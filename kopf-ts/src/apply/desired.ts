/** Turns what a reconciler wants into what is sent. */

import { apiVersionOf, type Kind, type KubeObject, type ObjectRef } from "../kube/index.ts";
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

/**
 * Groups the objects by kind and version; throws a TypeError for what can only be a mistake in the caller, before anything is sent. Two
 * versions of a kind are two groups of the same objects, so one object may be wanted in one of them only.
 */
export function groupByKind(
  objects: readonly KubeObject[],
  kinds: readonly Kind[],
): ReadonlyMap<Kind, readonly KubeObject[]> {
  const distinct = kinds.filter((kind, at) => kinds.findIndex(isTwinOf(kind)) === at);
  const groups = new Map<Kind, KubeObject[]>(distinct.map((kind) => [kind, []]));
  const seen = new Set<string>();
  for (const object of objects) {
    const kind = distinct.find((each) => isOf(each, object));
    if (kind === undefined) {
      throw new TypeError(`${nameOf(object)}: its kind is in neither prune nor keep`);
    }
    if ((kind.scope === "Namespaced") !== Boolean(object.metadata.namespace)) {
      throw new TypeError(`${nameOf(object)}: ${kind.kind} is ${kind.scope.toLowerCase()}`);
    }
    const [name, identity] = [nameOf(object), inAnyVersion(object)];
    if (seen.has(identity)) throw new TypeError(`${name} is wanted twice`);
    seen.add(identity);
    groups.get(kind)?.push(object);
  }
  return groups;
}

/** Whether the object is of that kind, in that version. */
export function isOf(kind: Kind, object: ObjectRef): boolean {
  return object.kind === kind.kind && object.apiVersion === apiVersionOf(kind);
}

/** Which object it is, in whatever version somebody reads or writes it. */
export function inAnyVersion(object: ObjectRef): string {
  return `${groupOf(object.apiVersion)} ${nameOf(object)}`;
}

/** Whether two kinds are one, in whatever versions. */
export function isSameKind(a: Kind, b: Kind): boolean {
  return a.kind === b.kind && a.group === b.group;
}

/** Two declarations of one kind in one version. */
function isTwinOf(kind: Kind): (other: Kind) => boolean {
  return (other) => isSameKind(kind, other) && kind.version === other.version;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
