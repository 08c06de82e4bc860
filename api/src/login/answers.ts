/** What clients are told of logins. Pure. */

import type { NewToken } from "@drover/platform";
import { toTimestamp } from "@drover/platform";
import { sessionCookie } from "../authn/index.ts";
import type { Problem } from "../v1/problem.ts";

/** Cookies that end with a session (rancher: pkg/auth/tokens/logout.go). */
const ended = [sessionCookie, "CSRF", "R_OIDC_ID"];

/** The session as a cookie that scripts cannot read, and that goes over TLS alone. */
export function sessionCookieOf({ value }: NewToken): string {
  return `${sessionCookie}=${value.reveal()}; Path=/; HttpOnly; Secure; SameSite=Lax`;
}

/** Cookies that take the place of those of a session, and are over. */
export function endedCookies(): readonly string[] {
  return ended.map((name) => `${name}=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax`);
}

/** The answer of /v1-public that shows the value. */
export function tokenBody({ token, value }: NewToken): object {
  const { name, expiry } = token;
  return {
    id: name,
    type: "token",
    baseType: "token",
    token: value.reveal(),
    expiresAt: expiry === undefined ? "" : toTimestamp(expiry),
  };
}

/** The answer of /v3-public, which says more. */
export function v3TokenBody(made: NewToken, description: string): object {
  const { name, userId, provider, derived, enabled, clusterName, principal } = made.token;
  return {
    ...tokenBody(made),
    name,
    description,
    userId,
    userPrincipal: principal?.metadata?.name ?? "",
    authProvider: provider,
    clusterId: clusterName === "" ? null : clusterName,
    isDerived: derived,
    enabled,
    current: false,
    expired: false,
  };
}

/** An error in Rancher's shape. */
export function errorBody({ code, status, message, fieldName }: Problem): object {
  return {
    type: "error",
    baseType: "error",
    code,
    status,
    message,
    ...(fieldName && { fieldName }),
  };
}
