/** Who a GlobalRoleBinding binds: a user by name or principal, or a group (rancher: pkg/controllers/management/auth/globalroles). */

import { GlobalRole, type GlobalRoleBinding, User } from "@drover/crds";
import { holds, noUserMessage, principalOf, userNameOf } from "@drover/platform";
import { type ConditionUpdate, type Context, messageOf } from "kopf-ts";
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
  if (userName) return ofUser(userName, context);
  return userPrincipalName ? ofPrincipal(userPrincipalName, binding, context) : missing;
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

function ofUser(name: string, { cache }: Pick<Context, "cache">): Resolved {
  const user = cache(User).get(name);
  if (user === undefined || user.metadata.deletionTimestamp !== undefined) {
    return failed(reasons.userNotFound, noUserMessage(name));
  }
  return { ...known, fields: { userPrincipalName: principalOf(user) } };
}

async function ofPrincipal(
  principal: string,
  binding: GlobalRoleBinding,
  { client, cache }: Pick<Context, "client" | "cache">,
): Promise<Resolved> {
  const sources = { client, users: cache(User), globalRoles: cache(GlobalRole) };
  const userName = await userNameOf(principal, binding, sources);
  if (typeof userName === "string") return { ...known, fields: { userName } };
  return { ...failed(reasons.noUser, messageOf(userName)), error: userName };
}

function failed(reason: string, message: string): Resolved {
  return { fields: {}, condition: { type: conditions.subject, status: "False", reason, message } };
}
