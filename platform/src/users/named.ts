/** Fills in how a binding names somebody (rancher: pkg/controllers/management/auth, reconcileSubject). */

import { annotations, User } from "@drover/crds";
import { isConflict, type KubeObject, resourceName } from "kopf-ts";
import { ensureUser, type UserSources } from "./ensure.ts";
import { localPrincipal } from "./principals.ts";

/** The first principal that ends with the User's name; one that has none yet is about to get the local one from the controller of users. */
export function principalOf({ metadata: { name }, principalIds = [] }: User): string {
  return principalIds.find((principal) => principal.endsWith(name)) ?? localPrincipal(name);
}

/** What bindings of any kind tell of a name that no User has: it is bound all the same, so whoever comes to have it gets what is granted. */
export function noUserMessage(name: string): string {
  return `${resourceName(User)} "${name}" not found: what it is granted waits for a user of that name; make it, or delete the binding`;
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
