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

/** The steps that add it, provided that the object is the same one, is not being deleted, and its finalizers are as we know them. */
export function additionOf({ metadata }: KubeObject, finalizer: string): JsonPatchOperation[] {
  const { finalizers = [] } = metadata;
  const path = "/metadata/finalizers";
  const stays = { op: "test", path: "/metadata/deletionTimestamp", value: null } as const;
  if (finalizers.length > 0) {
    return [
      ...sameObject(metadata.uid),
      stays,
      { op: "test", path, value: finalizers },
      { op: "add", path: `${path}/-`, value: finalizer },
    ];
  }
  return [
    ...sameObject(metadata.uid),
    stays,
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

/** Thrown when the object is another one or being deleted, or its finalizers changed meanwhile; the next run sees it. */
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
    if (isFailedTest(cause)) throw new Outdated("the finalizers changed meanwhile", { cause });
    throw cause;
  }
}

/**
 * Whether a step of a JSON patch did not fit the object. The API server answers that with 422 and a text that says no more (kubernetes:
 * apiserver pkg/endpoints/handlers/patch.go), while an object that it finds invalid comes with causes, and one that a webhook denies with
 * the webhook's text: those stay as they are however often they are sent.
 */
function isFailedTest(thrown: unknown): boolean {
  if (!isInvalid(thrown)) return false;
  const { message = "", details } = thrown.status ?? {};
  return (
    (details?.causes ?? []).length === 0 && message.startsWith("the server rejected our request")
  );
}
