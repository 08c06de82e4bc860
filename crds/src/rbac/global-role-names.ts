/** Names of what GlobalRoles and GlobalRoleBindings bring along (rancher: pkg/controllers/management/auth/globalroles). */

import { safeConcatName } from "../names.ts";

/** Names of the roles of a GlobalRole, by its name. */
export const globalRoleNames = {
  clusterRole: (role: string): string => safeConcatName("cattle-globalrole", role),
  /** The Role in a namespace, of namespacedRules and inheritedNamespacedRules. */
  role: (role: string, namespace: string): string => safeConcatName(role, namespace),
  /** The ClusterRole of inheritedFleetWorkspacePermissions.resourceRules. */
  fleetRules: (role: string): string => safeConcatName(role, "fwcr"),
  /** The ClusterRole of inheritedFleetWorkspacePermissions.workspaceVerbs. */
  fleetVerbs: (role: string): string => safeConcatName(role, "fwv"),
  /** The value of the label that names the owner. */
  ownerLabel: (role: string): string => safeConcatName(role),
} as const;

/** All ClusterRoles that a GlobalRole of this name may have: what two must not have in common, or whoever holds one gets what the other allows. */
export function clusterRolesOfGlobalRole(role: string): readonly string[] {
  const { clusterRole, fleetRules, fleetVerbs } = globalRoleNames;
  return [clusterRole, fleetRules, fleetVerbs].map((name) => name(role));
}

/** Names of the bindings of a GlobalRoleBinding, by its name. */
export const globalRoleBindingNames = {
  clusterRoleBinding: (binding: string): string =>
    safeConcatName("cattle-globalrolebinding", binding),
  /** The RoleBinding in a namespace. */
  roleBinding: (binding: string, namespace: string): string => safeConcatName(binding, namespace),
  /** The RoleBinding in the namespace of each FleetWorkspace. */
  fleetRules: (binding: string): string => safeConcatName(binding),
  fleetVerbs: (binding: string): string => safeConcatName(binding, "fwv"),
  /** Before the random or derived part of the name of a ClusterRoleTemplateBinding. */
  clusterRoleTemplateBindingPrefix: "crtb-grb-",
  /** The value of the label that names the owner. */
  ownerLabel: (binding: string): string => safeConcatName(binding),
} as const;
