/** Takes away what an owner that is no more leaves behind, without waiting for the garbage collector. */

import { isConflict, type Kind, type KubeObject } from "kopf-ts";
import { labelled, type OwnerLabel } from "./ownership.ts";
import type { Settling } from "./settle.ts";

/** An owner that seems to be gone. */
export interface Departed {
  readonly kind: Kind;
  readonly name: string;
  readonly label: OwnerLabel;
}

/**
 * Deletes the objects of these kinds that bear the label and refer to the owner, once the server has confirmed that there is none of that name. The garbage
 * collector does the same, but may take its time, and rights should end with what grants them. Whoever deleted the owner and lets its objects stay
 * (`--cascade=orphan`) has had the references removed, so these stay.
 */
export async function release(
  { kind, name, label }: Departed,
  kinds: readonly Kind[],
  { client, cache }: Pick<Settling, "client" | "cache">,
): Promise<void> {
  const refers = ({ metadata }: KubeObject): boolean =>
    metadata.deletionTimestamp === undefined &&
    metadata.ownerReferences?.some((each) => each.kind === kind.kind && each.name === name) ===
      true;
  const left = kinds.flatMap((each) => labelled(cache, each, label).filter(refers));
  if (left.length === 0 || (await client.find(kind, name)) !== undefined) return;
  for (const object of left) {
    await client.delete(object).catch((error: unknown) => {
      if (!isConflict(error)) throw error; // somebody changes it, perhaps the garbage collector
    });
  }
}
