/** Who a GlobalRoleBinding binds: a user by name or principal, or a group (rancher: pkg/controllers/management/auth/globalroles). */

import { annotations, GlobalRole, type GlobalRoleBinding, User } from "@drover/crds";
import { ensureUser, holds, localPrincipal } from "@drover/platform";
import { type ConditionUpdate, type Context, isConflict, messageOf, resourceName } from "kopf-ts";
import { conditions, reasons } from "./names.ts";

/** What could be found out about the subject. */
export interface Resolved {
  /** Fields that were not filled in and now can be. */
  readonly fields: Pick<GlobalRoleBinding, "userName" | "userPrincipalName">;
  readonly condition: ConditionUpdate;
  /** What to throw, once it has been told, so that it is tried again. */
  readonly error?: Error;
}

/** Fills in the user of a principal, who is made if there is none, or the principal of a user. */
export async function resolveSubject(
  binding: GlobalRoleBinding,
  context: Pick<Context, "client" | "cache">,
): Promise<Resolved> {
  const { userName, userPrincipalName, groupPrincipalName } = binding;
  const isUser = Boolean(userName || userPrincipalName);
  if (groupPrincipalName && isUser) return unclear;
  if (groupPrincipalName || (userName && userPrincipalName)) return known;
  if (userName) return principalOf(userName, context);
  return userPrincipalName ? userOf(userPrincipalName, binding, context) : missing;
}

const known: Resolved = { fields: {}, condition: holds(conditions.subject) };
const missing = failed(
  reasons.noSubject,
  "userName, userPrincipalName and groupPrincipalName are all empty: nobody is bound",
);
const unclear = failed(
  reasons.ambiguousSubject,
  "a user and groupPrincipalName are both set: only one of them can be bound",
);

/** The first principal that ends with the name; one that has none yet is about to get this one from the controller of users. */
function principalOf(name: string, { cache }: Pick<Context, "cache">): Resolved {
  const user = cache(User).get(name);
  if (user === undefined || user.metadata.deletionTimestamp !== undefined) {
    return failed(reasons.userNotFound, `${resourceName(User)} "${name}" not found`);
  }
  const found = user.principalIds?.find((principal) => principal.endsWith(name));
  return { ...known, fields: { userPrincipalName: found ?? localPrincipal(name) } };
}

async function userOf(
  principal: string,
  { metadata }: GlobalRoleBinding,
  { client, cache }: Pick<Context, "client" | "cache">,
): Promise<Resolved> {
  const sources = { client, users: cache(User), globalRoles: cache(GlobalRole) };
  const displayName = metadata.annotations?.[annotations.principalDisplayName];
  try {
    const user = await ensureUser(sources, principal, displayName);
    return { ...known, fields: { userName: user.metadata.name } };
  } catch (error) {
    if (isConflict(error) || !(error instanceof Error)) throw error;
    return { ...failed(reasons.noUser, messageOf(error)), error };
  }
}

function failed(reason: string, message: string): Resolved {
  return { fields: {}, condition: { type: conditions.subject, status: "False", reason, message } };
}
