/** What follows from a principal, the name of a person or group at an authentication provider (rancher: pkg/auth/providers/common). */

import { createHash } from "node:crypto";
import { base32, base32Hex, isObjectName } from "@drover/crds";

const localScheme = "local://";

/** The principal of a local user: `local://<name of the User>`. */
export function localPrincipal(userName: string): string {
  return `${localScheme}${userName}`;
}

/** Whether a principal is at the local provider. */
export function isLocalPrincipal(principal: string): boolean {
  return principal.startsWith(localScheme);
}

/** The name of the User that a principal names; undefined for one of another provider, and for what can be no name. */
export function localUserName(principal: string): string | undefined {
  if (!isLocalPrincipal(principal)) return undefined;
  const name = principal.slice(localScheme.length);
  return isObjectName(name) ? name : undefined;
}

/** Whether a principal is that of a system account, of a cluster or a project. */
export function isSystemPrincipal(principal: string): boolean {
  return principal.startsWith("system:");
}

/** The name of the User made for a principal. It follows from the principal, so that two who make it at once make only one. */
export function userNameFor(principal: string): string {
  const hash = createHash("sha256").update(principal).digest();
  return `u-${base32(hash).slice(0, 10).toLowerCase()}`;
}

/** The longest name that a label key may have. */
const longestKey = 63;

/**
 * The label by which a principal's User is found. Long principals that begin alike share it: compare principalIds of what is found.
 * Throws a TypeError for an empty principal.
 */
export function principalLabels(principal: string): Readonly<Record<string, string>> {
  if (principal === "") throw new TypeError("a principal must not be empty");
  return { [base32Hex(Buffer.from(principal)).slice(0, longestKey)]: "hashed-principal-name" };
}
