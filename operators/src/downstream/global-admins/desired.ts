/** What an administrator of everything gets in every cluster (rancher: pkg/controllers/managementuser/rbac/globalrolebinding_handler.go). Pure. */

import { type GlobalRole, type GlobalRoleBinding, globalRoleSubject } from "@drover/crds";
import { clusterRoleRef, isAdminRole, userNameFor } from "@drover/platform";
import { apiVersionOf } from "kopf-ts";
import { ClusterRoleBinding, type Subject } from "kopf-ts/kinds";
import { annotations } from "./names.ts";

/** Grants cluster-admin; undefined where the binding names nobody or its role makes no administrator. All bindings of one person share it. */
export function adminBinding(
  binding: GlobalRoleBinding,
  role: GlobalRole | undefined,
): ClusterRoleBinding | undefined {
  const subject = globalRoleSubject(binding);
  if (subject === undefined || role === undefined || !isAdminRole(role)) return undefined;
  return {
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: { name: `globaladmin-${keyOf(subject)}` },
    roleRef: clusterRoleRef("cluster-admin"),
    subjects: [subject],
  };
}

/** The same with annotations that name a binding which has it: this one, unless those that are there name another that does. */
export function annotated(
  wanted: ClusterRoleBinding,
  binding: GlobalRoleBinding,
  live: ClusterRoleBinding | undefined,
  claimants: readonly string[],
): ClusterRoleBinding {
  const named = live?.metadata.annotations?.[annotations.binding];
  if (named !== undefined && claimants.includes(named)) return wanted;
  const own = {
    [annotations.role]: binding.globalRoleName,
    [annotations.binding]: binding.metadata.name,
  };
  return { ...wanted, metadata: { ...wanted.metadata, annotations: own } };
}

/** A Rancher leaves no mark on it; but nobody else makes cluster-admins of just this person under this name. */
export function isRanchers(live: ClusterRoleBinding, wanted: ClusterRoleBinding): boolean {
  const [subject, ...others] = live.subjects ?? [];
  const [asked] = wanted.subjects ?? [];
  return (
    live.roleRef.name === wanted.roleRef.name &&
    live.roleRef.kind === wanted.roleRef.kind &&
    others.length === 0 &&
    subject?.kind === asked?.kind &&
    subject?.name === asked?.name
  );
}

/** A user's name; names of groups do not fit into names of objects. */
function keyOf({ kind, name }: Subject): string {
  return kind === "Group" ? userNameFor(name) : name;
}
