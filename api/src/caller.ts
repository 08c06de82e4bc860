/** Who asks, as the stages behind authentication see it. */

import type { Caller, StoredToken } from "@drover/platform";
import type { Impersonation } from "kopf-ts";

/** The caller of a request and what proved it. */
export interface Login {
  readonly caller: Caller;
  /** The token that was shown; undefined for somebody unknown and in header mode. */
  readonly token: StoredToken | undefined;
}

/** Whoever shows nothing that counts (rancher: pkg/auth/requests/authenticate.go). */
export const nobody: Login = {
  caller: {
    username: "system:cattle:error",
    groups: ["system:unauthenticated", "system:cattle:error"],
  },
  token: undefined,
};

/** As whom a client of the API server acts for a caller. */
export function impersonationOf({ username: user, groups, uid, extra }: Caller): Impersonation {
  return { user, groups, ...(uid && { uid }), ...(extra && { extra }) };
}

/** Whether somebody is known, which is less than that they may do something. */
export function isAuthenticated({ caller }: Login): boolean {
  return caller.groups.includes("system:authenticated");
}
