/** What a refresh asks of authentication providers. */

import type { Principal } from "@drover/crds";
import { localPrincipal } from "@drover/platform";

/** Thrown by a provider that knows that the user may not log in, or is no more. */
export class NoAccess extends Error {
  override readonly name = "NoAccess";
}

/** An authentication provider as far as groups are concerned. */
export interface GroupProvider {
  /** As in Token.authProvider and UserAttribute.GroupPrincipals: local, github, ... */
  readonly name: string;
  /** How the principals of its users begin: `local://`, `github_user://`. */
  readonly scheme: string;
  /**
   * The groups of the user of a principal. Throws NoAccess when the user may not log in any more, a PermanentError when asking again is of no use until
   * the user logs in (a grant that is used up), and anything else when the answer could not be found out.
   */
  groups(principal: string, signal: AbortSignal): Promise<readonly Principal[]>;
}

/** Local users have no groups, and exist as long as their User does. */
export const localProvider: GroupProvider = {
  name: "local",
  scheme: localPrincipal(""),
  groups: () => Promise.resolve([]),
};
