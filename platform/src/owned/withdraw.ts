/** Takes away what an owner in the hub brought along in a cluster, where no garbage collector knows of it. */

import {
  type Hub,
  type Kind,
  type KubeObject,
  marksOf,
  type ObjectRef,
  parseKey,
  refTo,
  setIndex,
} from "kopf-ts";
import type { Problem } from "./problem.ts";
import { type Part, type Settling, settle } from "./settle.ts";

/** An owner in the hub that seems to be gone, and the parts that it had. */
export interface Withdrawn {
  readonly kind: Kind;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly label: { readonly key: string; readonly value: string };
  readonly parts: readonly Pick<Part, "id" | "kinds">[];
}

/**
 * Deletes the objects that bear the marks of the owner's sets, once the hub's server has confirmed that there is none of that name. Answers what could not
 * be deleted. Sends nothing where there is nothing.
 */
export async function withdraw(
  { kind, key, label, parts }: Withdrawn,
  run: Settling & { readonly hub: Hub },
): Promise<readonly Problem[]> {
  const owner = ownerOf(kind, key);
  const scope = run.client.sets?.scope;
  const isLeft = parts.some(({ id, kinds }) => {
    const { hash } = marksOf({ id, owner, scope });
    return kinds.some((each) => run.cache(each).keysByIndex(setIndex.name, hash).length > 0);
  });
  if (!isLeft) return [];
  const { name, namespace } = owner.metadata;
  if ((await run.hub.client.find(kind, name, { namespace })) !== undefined) return [];
  const empty = parts.map((part) => ({ ...part, objects: [] as readonly KubeObject[] }));
  return (await settle(empty, { owner, label }, run)).flat();
}

function ownerOf(kind: Kind, key: string): ObjectRef {
  const { name, namespace } = parseKey(key);
  return refTo(kind, name, namespace);
}
