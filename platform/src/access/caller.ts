/** Who asks, and under which keys bindings that name them are found. */

import type { ClusterRoleTemplateBinding } from "@drover/crds";
import type { Subject } from "kopf-ts/kinds";

/** Somebody as the API server authenticated them (authentication.k8s.io/v1 UserInfo). */
export interface Caller {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Members may do everything, whatever roles say (kubernetes: apiserver/pkg/authentication/user/user.go). */
const superusers = "system:masters";

/** Whether no rule limits the caller. */
export function isSuperuser({ groups }: Pick<Caller, "groups">): boolean {
  return groups.includes(superusers);
}

/** The keys of everything that is bound to the caller: one for the name, one per group. */
export function keysOf({ username, groups }: Pick<Caller, "username" | "groups">): string[] {
  return [userKey(username), ...[...new Set(groups)].map(groupKey)];
}

/**
 * The key of a subject of a RoleBinding or ClusterRoleBinding. A service account is the user it logs in as; one without a namespace is in the
 * binding's (kubernetes: pkg/registry/rbac/validation/rule.go, appliesToUser).
 */
export function subjectKey(subject: Subject, namespace: string | undefined): string | undefined {
  const { kind, name } = subject;
  if (kind === "User") return userKey(name);
  if (kind === "Group") return groupKey(name);
  const home = subject.namespace || namespace;
  return kind === "ServiceAccount" && home
    ? userKey(`system:serviceaccount:${home}:${name}`)
    : undefined;
}

/** Whom a binding of ours names: a user by name, or a group. */
type Named = Pick<ClusterRoleTemplateBinding, "userName" | "groupName" | "groupPrincipalName">;

/** The key of whom a binding of ours names; a user known only by principal has no rights yet (webhook: pkg/resolvers/crtbResolver.go). */
export function boundKey(binding: Named): string | undefined {
  if (binding.userName) return userKey(binding.userName);
  const group = binding.groupName || binding.groupPrincipalName;
  return group ? groupKey(group) : undefined;
}

function userKey(name: string): string {
  return `user:${name}`;
}

function groupKey(name: string): string {
  return `group:${name}`;
}
