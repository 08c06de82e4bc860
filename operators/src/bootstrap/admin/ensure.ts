/** Objects that are made once: as they are found, or made. */

import {
  type Client,
  isAlreadyExists,
  type Kind,
  type KubeObject,
  type RequestOptions,
  TemporaryError,
} from "kopf-ts";
import { fieldManager } from "../write.ts";

/** Through whom objects are read and written. */
export interface Access {
  readonly client: Client;
  readonly signal?: AbortSignal | undefined;
}

/** What every request of an access carries. */
export function requestOptions({ signal }: Access): RequestOptions {
  return signal === undefined ? {} : { signal };
}

/**
 * The object of the name that `wanted` has: the stored one, whatever it says, or `wanted` once it is stored. Throws a TemporaryError while the stored one
 * is on its way out.
 */
export async function ensure<T extends KubeObject>(
  access: Access,
  kind: Kind<T>,
  wanted: T,
): Promise<T> {
  const { name, namespace } = wanted.metadata;
  const options = { ...requestOptions(access), namespace };
  const found = await access.client.find(kind, name, options);
  if (found !== undefined) return refuseTerminating(found);
  try {
    return await access.client.create(wanted, { ...requestOptions(access), fieldManager });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return refuseTerminating(await access.client.get(kind, name, options));
  }
}

/** The object, unless it is on its way out: then a TemporaryError. */
export function refuseTerminating<T extends KubeObject>(object: T): T {
  const { kind, metadata } = object;
  if (metadata.deletionTimestamp === undefined) return object;
  throw new TemporaryError(`${kind} ${metadata.name} is being deleted`);
}
