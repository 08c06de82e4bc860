/** Who asks, as the stages behind authentication see it. */

import type { Caller, StoredToken } from "@drover/platform";
import type { Impersonation } from "kopf-ts";

/** The caller of a request and what proved it. */
export interface Login {
  readonly caller: Caller;
  /** The token that was shown; undefined for somebody unknown and in header mode. */
  readonly token: StoredToken | undefined;
}

/** What became of a login: it counts as it did, it is over, or it stands for a caller with other groups or principals. */
export type LoginStanding = "counts" | "ended" | "changed";

/** Whoever shows nothing that counts (rancher: pkg/auth/requests/authenticate.go). */
export const nobody: Login = {
  caller: {
    username: "system:cattle:error",
    groups: ["system:unauthenticated", "system:cattle:error"],
  },
  token: undefined,
};

/** The one cluster that a login is good for; undefined for any. */
export function scopeOf({ token }: Login): string | undefined {
  return token?.clusterName || undefined;
}

/** As whom a client of the API server acts for a caller. */
export function impersonationOf({ username: user, groups, uid, extra }: Caller): Impersonation {
  return { user, groups, ...(uid && { uid }), ...(extra && { extra }) };
}

/** Whether somebody is known, which is less than that they may do something. */
export function isAuthenticated({ caller }: Login): boolean {
  return caller.groups.includes("system:authenticated");
}
