import type { ObjectRef, OwnerReference } from "../kube/index.ts";

/** What an owner reference says beside the owner's name. */
export interface OwnerReferenceOptions {
  /** The one owner that manages the object; true unless told. */
  readonly controller?: boolean;
  /** A foreground deletion of the owner waits for this object; true unless told. */
  readonly blockOwnerDeletion?: boolean;
}

/** A reference from a dependent to `owner`; throws a TypeError when the owner's uid is unknown, for nothing else identifies it. */
export function ownerReference(
  owner: ObjectRef,
  { controller = true, blockOwnerDeletion = true }: OwnerReferenceOptions = {},
): OwnerReference {
  const { name, uid } = owner.metadata;
  if (uid === undefined) throw new TypeError(`${owner.kind} ${name} has no uid to refer to`);
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name,
    uid,
    controller,
    blockOwnerDeletion,
  };
}

/**
 * Whether `dependent` may carry a reference to `owner`: an owner in a namespace owns only inside of it. The garbage collector deletes
 * dependents whose reference crosses that line (kubernetes: pkg/controller/garbagecollector/graph_builder.go).
 */
export function canOwn(owner: ObjectRef, dependent: ObjectRef): boolean {
  const { namespace } = owner.metadata;
  return namespace === undefined || namespace === "" || namespace === dependent.metadata.namespace;
}
