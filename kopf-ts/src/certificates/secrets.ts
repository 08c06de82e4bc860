/** Reads and writes the Secrets in which replicas share their certificates. */

import { Namespace, Secret } from "../kinds/index.ts";
import {
  apiVersionOf,
  type Client,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  refTo,
} from "../kube/index.ts";
import type { KeyPair } from "./pair.ts";

/** One of the Secrets. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Writes the Secret unless somebody else has meanwhile; then undefined, and the caller looks at what they wrote. Makes the namespace when it
 * is missing: certificates come before everything that could make it.
 */
export async function writeSecret(
  client: Client,
  at: SecretName,
  { cert, key, bundle }: KeyPair & { readonly bundle?: string },
  former: Secret | undefined,
): Promise<Secret | undefined> {
  const texts = {
    "tls.crt": cert,
    "tls.key": key,
    ...(bundle !== undefined && { "ca.crt": bundle }),
  };
  const data = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]),
  );
  try {
    if (former !== undefined) return await client.update<Secret>({ ...former, data });
    return await client.create<Secret>({
      apiVersion: apiVersionOf(Secret),
      kind: Secret.kind,
      metadata: { ...at },
      type: "kubernetes.io/tls",
      data,
    });
  } catch (error) {
    await recover(client, at, former, error);
    return undefined;
  }
}

/** Resolves when another attempt makes sense. */
async function recover(
  client: Client,
  { namespace }: SecretName,
  former: Secret | undefined,
  error: unknown,
): Promise<void> {
  if (isAlreadyExists(error) || isConflict(error)) return;
  if (former === undefined && isNotFound(error)) return makeNamespace(client, namespace);
  if (former !== undefined && isNotFound(error)) return;
  // Immutable, or of a type that wants other entries: only another Secret can take its place.
  if (former === undefined || !isInvalid(error)) throw error;
  await client.delete(former);
}

async function makeNamespace(client: Client, name: string): Promise<void> {
  try {
    await client.create({ ...refTo(Namespace, name), metadata: { name } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
