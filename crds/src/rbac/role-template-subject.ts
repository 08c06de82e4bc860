import type { Subject } from "kopf-ts/kinds";
import type { ProjectRoleTemplateBinding } from "./project-role-template-binding.ts";

/** The fields by which a role template binding names somebody; a ClusterRoleTemplateBinding has no `serviceAccount`. */
export type RoleTemplateSubjects = Partial<
  Pick<
    ProjectRoleTemplateBinding,
    "userName" | "userPrincipalName" | "groupName" | "groupPrincipalName" | "serviceAccount"
  >
>;

/** Why nobody can be bound. */
export type SubjectFault = "none" | "ambiguous" | "malformed";

const rbac = "rbac.authorization.k8s.io";

/**
 * To whom a role template binding grants its role, once its userName is filled in; a fault when it names nobody, or more than one (rancher:
 * pkg/rbac/common.go, BuildSubjectFromRTB; there a service account wins over the others).
 */
export function roleTemplateSubject(binding: RoleTemplateSubjects): Subject | SubjectFault {
  const { userName, groupPrincipalName, groupName, serviceAccount } = binding;
  const named = [userName, groupPrincipalName, groupName, serviceAccount].filter(Boolean);
  if (named.length === 0) return "none";
  if (named.length > 1) return "ambiguous";
  if (serviceAccount) return accountOf(serviceAccount);
  if (userName) return { kind: "User", name: userName, apiGroup: rbac };
  return { kind: "Group", name: groupPrincipalName || groupName || "", apiGroup: rbac };
}

function accountOf(text: string): Subject | SubjectFault {
  const colon = text.indexOf(":");
  const [namespace, name] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  return namespace === "" || name === ""
    ? "malformed"
    : { kind: "ServiceAccount", name, namespace };
}
