/** Adds and removes one finalizer without touching those of others. */

import { TemporaryError } from "../base/index.ts";
import {
  type Client,
  isInvalid,
  isNotFound,
  type JsonPatchOperation,
  type KubeObject,
  type ObjectRef,
} from "../kube/index.ts";

/** Whether the object carries the finalizer. */
export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** The steps that add it, provided that the object is the same one and its finalizers are as we know them. */
export function additionOf({ metadata }: KubeObject, finalizer: string): JsonPatchOperation[] {
  const { finalizers = [] } = metadata;
  const path = "/metadata/finalizers";
  if (finalizers.length > 0) {
    return [
      ...sameObject(metadata.uid),
      { op: "test", path, value: finalizers },
      { op: "add", path: `${path}/-`, value: finalizer },
    ];
  }
  return [
    ...sameObject(metadata.uid),
    { op: "test", path, value: null },
    { op: "add", path, value: [finalizer] },
  ];
}

/** The steps that remove it, provided that it is where we know it to be. */
export function removalOf({ metadata }: KubeObject, finalizer: string): JsonPatchOperation[] {
  const path = `/metadata/finalizers/${metadata.finalizers?.indexOf(finalizer) ?? 0}`;
  return [
    ...sameObject(metadata.uid),
    { op: "test", path, value: finalizer },
    { op: "remove", path },
  ];
}

function sameObject(uid: string | undefined): JsonPatchOperation[] {
  return uid === undefined ? [] : [{ op: "test", path: "/metadata/uid", value: uid }];
}

/** The object with the finalizer; undefined when it is gone. Throws Outdated when it is not as the cache shows it. */
export async function addFinalizer<T extends KubeObject>(
  client: Client,
  object: T,
  finalizer: string,
): Promise<T | undefined> {
  return patched<T>(client, object, additionOf(object, finalizer));
}

/** Removes the finalizer; an object that is gone is fine. Throws Outdated when it is not as the cache shows it. */
export async function removeFinalizer(
  client: Client,
  object: KubeObject,
  finalizer: string,
): Promise<void> {
  await patched(client, object, removalOf(object, finalizer));
}

/** Thrown when finalizers changed meanwhile; the next run sees them. */
export class Outdated extends TemporaryError {}

async function patched<T extends KubeObject>(
  client: Client,
  { apiVersion, kind, metadata: { name, namespace } }: KubeObject,
  json: readonly JsonPatchOperation[],
): Promise<T | undefined> {
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const ref = { apiVersion, kind, metadata } as ObjectRef & Partial<T>; // nothing but the reference
  try {
    return await client.patch<T>(ref, { json });
  } catch (cause) {
    if (isNotFound(cause)) return undefined;
    // The API server answers 422 for a test that fails.
    if (isInvalid(cause)) throw new Outdated("the finalizers changed meanwhile", { cause });
    throw cause;
  }
}
