/** What a User may say (webhook: pkg/resources/management.cattle.io/v3/users). */

import { isDeepStrictEqual } from "node:util";
import { creatorRolesOf, type User, type UserAttribute } from "@drover/crds";
import { type Caller, groupsOfLogin } from "@drover/platform";
import { findCondition } from "kopf-ts";
import type { Problem } from "../verdicts.ts";

/** What is wrong with a change of fields that are set once. */
export function writeOnceProblem(after: User, before: User): Problem {
  if (before.username && after.username !== before.username) {
    return "username must not be changed";
  }
  if (isDeepStrictEqual(after.principalIds ?? [], before.principalIds ?? [])) return undefined;
  return "principalIds must not be changed";
}

/** The username that a change newly takes; undefined when it takes none. */
export function newUsername(after: User, before: User | undefined): string | undefined {
  const { username = "" } = after;
  return username === "" || username === before?.username ? undefined : username;
}

/** Whether a change takes the login away. */
export function deactivates(after: User, before: User): boolean {
  return after.enabled === false && before.enabled !== false;
}

/** Whether a new user could log in here, without another authentication provider. */
export function isLocal({ username = "", password = "" }: User): boolean {
  return username !== "" || password !== "";
}

/** A user as the API server would see it: with the groups of the last logins. */
export function callerOf({ metadata }: User, attribute: UserAttribute | undefined): Caller {
  return { username: metadata.name, groups: groupsOfLogin(attribute) };
}

/** Global roles that the server is about to give the user, and was not before the change: those of annotation creator-role-bindings that were not given yet. */
export function newlyDue(after: User, before: User | undefined): readonly string[] {
  const known = new Set(before === undefined ? [] : dueRoles(before));
  return [...new Set(dueRoles(after))].filter((role) => !known.has(role));
}

function dueRoles(user: User): readonly string[] {
  const given = findCondition(user.status?.conditions, "InitialRolesPopulated")?.status === "True";
  const { required, created } = creatorRolesOf(user) ?? { required: [], created: [] };
  return given ? [] : required.filter((role) => !created.includes(role));
}
