/** Fills in how a binding names somebody (rancher: pkg/controllers/management/auth, reconcileSubject). */

import { annotations, type User } from "@drover/crds";
import { isConflict, type KubeObject } from "kopf-ts";
import { ensureUser, type UserSources } from "./ensure.ts";
import { localPrincipal } from "./principals.ts";

/** The first principal that ends with the User's name; one that has none yet is about to get the local one from the controller of users. */
export function principalOf({ metadata: { name }, principalIds = [] }: User): string {
  return principalIds.find((principal) => principal.endsWith(name)) ?? localPrincipal(name);
}

/**
 * The name of the User of the principal that a binding names, who is made if there is none; or why there cannot be one, to be told and thrown. Throws conflicts,
 * which are gone when it is tried again.
 */
export async function userNameOf(
  principal: string,
  { metadata }: Pick<KubeObject, "metadata">,
  sources: UserSources,
): Promise<string | Error> {
  const displayName = metadata.annotations?.[annotations.principalDisplayName];
  try {
    const user = await ensureUser(sources, principal, displayName);
    return user.metadata.name;
  } catch (error) {
    if (isConflict(error) || !(error instanceof Error)) throw error;
    return error;
  }
}
