/** Names that people and programs see. */

import { createHash } from "node:crypto";
import { type LifecycleNames, lifecycleNames } from "@drover/crds";

/** The controller; its field manager is `drover-users`. */
export const controllerName = "users";
/** The marks that Rancher's controller leaves on users (rancher: pkg/controllers/management/auth/user.go). */
export const marks: LifecycleNames = lifecycleNames("mgmt-auth-users-controller");

/** Condition of a user: True once it has the roles that new users get. */
export const rolesCondition = "InitialRolesPopulated";

/** The ClusterRole by which a user may read itself. */
export function viewRoleName(user: string): string {
  return `${user}-view`;
}

/** What grants it. */
export function viewBindingName(user: string): string {
  return `grb-${viewRoleName(user)}`;
}

/**
 * The name of the binding that gives a new user one role. Rancher lets the server choose behind `grb-`; this one follows from user and role, so
 * that nobody who begins anew makes a second.
 */
export function initialBindingName(userUid: string, role: string): string {
  const hash = createHash("sha256").update(`${userUid}/${role}`).digest("hex");
  return `grb-${hash.slice(0, 10)}`;
}

/** Reasons of Events. */
export const reasons = {
  /** A disabled user lost its sessions of ext.cattle.io. */
  lockedOut: "UserLockedOut",
  /** User.password moved to a Secret. */
  passwordMoved: "PasswordMoved",
  /** User.password is nothing that could be moved. */
  passwordUnreadable: "PasswordUnreadable",
  /** Something has the name of what a deleted user leaves behind, but is not the user's. */
  spared: "NotDeleted",
} as const;
