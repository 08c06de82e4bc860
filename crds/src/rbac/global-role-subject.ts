import type { Subject } from "kopf-ts/kinds";
import type { GlobalRoleBinding } from "./global-role-binding.ts";

const apiGroup = "rbac.authorization.k8s.io";

/** To whom a GlobalRoleBinding grants its role, once its fields are filled in; nobody when it names nobody, or a user and a group. */
export function globalRoleSubject({
  userName,
  userPrincipalName,
  groupPrincipalName,
}: Pick<GlobalRoleBinding, "userName" | "userPrincipalName" | "groupPrincipalName">):
  | Subject
  | undefined {
  if (groupPrincipalName && (userName || userPrincipalName)) return undefined;
  if (groupPrincipalName) return { kind: "Group", name: groupPrincipalName, apiGroup };
  return userName ? { kind: "User", name: userName, apiGroup } : undefined;
}
