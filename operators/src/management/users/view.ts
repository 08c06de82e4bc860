/** The role by which a user sees itself, as a set of objects that the user owns. */

import type { User } from "@drover/crds";
import { grantsAnotherRole } from "@drover/platform";
import type { ApplySetOptions, Context } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding } from "kopf-ts/kinds";
import { viewBinding } from "./desired.ts";

/** Where the set is looked up. An empty set of these removes it. */
export function viewSet(owner: User, { cache, signal }: Context): ApplySetOptions {
  return { owner, prune: [ClusterRole, ClusterRoleBinding], caches: cache, signal };
}

/**
 * Removes a view binding that grants another role, since a roleRef cannot be changed. Whoever made it may have meant to give that role; a view
 * binding never does.
 */
export async function removeWrongBinding(user: User, { client, cache }: Context): Promise<boolean> {
  const wanted = viewBinding(user);
  const found = cache(ClusterRoleBinding).get(wanted.metadata.name);
  if (found === undefined || !grantsAnotherRole(found, wanted)) return false;
  return client.delete(found);
}
