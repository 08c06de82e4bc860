/** Whom a role template binding names, as far as others have to be asked (rancher: pkg/controllers/management/auth/roletemplates). */

import {
  type GlobalRole,
  type RoleTemplateSubjects,
  roleTemplateSubject,
  type SubjectFault,
  User,
} from "@drover/crds";
import { type Cache, type Client, type KubeObject, messageOf } from "kopf-ts";
import type { Subject } from "kopf-ts/kinds";
import { noUserMessage, principalOf, userNameOf } from "../users/index.ts";

/** Where users are found and made. */
export interface SubjectSources {
  readonly client: Client;
  /** With the index `usersByPrincipal`. */
  readonly users: Cache<User>;
  /** With the index `globalRolesForNewUsers`. */
  readonly globalRoles: Cache<GlobalRole>;
}

/** Why something is not as the binding says. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
  /** What to throw, once it has been told, so that it is tried again. */
  readonly error?: Error;
}

/** What could be found out about the subject. */
export interface ResolvedSubject {
  /** Fields that were not filled in and now can be. */
  readonly fields: Pick<RoleTemplateSubjects, "userName" | "userPrincipalName">;
  /** Nobody, where nobody can be bound. */
  readonly subject?: Subject;
  readonly obstacle?: Obstacle;
}

/** A binding, as far as it names somebody. */
export type Naming = RoleTemplateSubjects & Pick<KubeObject, "metadata">;

/**
 * Fills in the user of a principal, who is made if there is none, or the principal of a user. A name that no User has is bound all the same, and told: the
 * User may come later.
 */
export async function resolveTemplateSubject(
  binding: Naming,
  sources: SubjectSources,
): Promise<ResolvedSubject> {
  const { userName, userPrincipalName } = binding;
  if (userName) return ofUser(binding, userName, sources);
  if (!userPrincipalName) return bound(binding, {});
  // Anybody else who is named beside the principal makes it unclear who is meant: nobody is made for that.
  const others = roleTemplateSubject(binding);
  return others === "none"
    ? ofPrincipal(binding, userPrincipalName, sources)
    : { fields: {}, obstacle: faults.ambiguous };
}

async function ofUser(
  binding: Naming,
  name: string,
  { users, client }: SubjectSources,
): Promise<ResolvedSubject> {
  const user = users.get(name) ?? (await client.find(User, name)); // made a moment ago, mostly
  if (user === undefined || user.metadata.deletionTimestamp !== undefined) {
    const obstacle = { reason: "UserNotFound", message: noUserMessage(name) };
    return { ...bound(binding, {}), obstacle };
  }
  if (binding.userPrincipalName) return bound(binding, {});
  return bound(binding, { userPrincipalName: principalOf(user) });
}

async function ofPrincipal(
  binding: Naming,
  principal: string,
  sources: SubjectSources,
): Promise<ResolvedSubject> {
  const userName = await userNameOf(principal, binding, sources);
  if (typeof userName === "string") return bound(binding, { userName });
  const error = userName;
  const obstacle = { reason: "FailedToEnsureUser", message: messageOf(error), error };
  return { fields: {}, obstacle };
}

function bound(binding: Naming, fields: ResolvedSubject["fields"]): ResolvedSubject {
  const subject = roleTemplateSubject({ ...binding, ...fields });
  return typeof subject === "string"
    ? { fields: {}, obstacle: faults[subject] }
    : { fields, subject };
}

const faults: Readonly<Record<SubjectFault, Obstacle>> = {
  none: { reason: "NoSubject", message: "nobody is bound: the binding names no user and no group" },
  ambiguous: {
    reason: "AmbiguousSubject",
    message:
      "nobody is bound: the binding names more than one of a user, a group and a service account",
  },
  malformed: {
    reason: "MalformedSubject",
    message: "nobody is bound: serviceAccount must be <namespace>:<name>",
  },
};
