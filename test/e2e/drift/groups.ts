/** What a server certainly makes for the tenant: without this list a test that finds nothing would pass. */

import type { Side } from "../pair.ts";

const downstream = [
  "ClusterRole drover-cluster-projects drover-project-namespaces",
  "ClusterRole drover-downstream-role-templates drover-role-template",
  "ClusterRole drover-downstream-role-templates drover-role-template aggregating",
  "ClusterRoleBinding drover-downstream-global-admins",
] as const;

/** Groups by the cluster that they are in: kind, field manager, set, and whether Kubernetes completes it. */
export const expectedGroups: Readonly<Record<Side, readonly string[]>> = {
  hub: [
    ...downstream,
    "ClusterRole drover-clusters drover-clusters-roles",
    "ClusterRole drover-global-roles drover-ClusterRoleExists",
    "ClusterRole drover-global-roles drover-FleetWorkspaceRolePermissionsReconciled",
    "ClusterRole drover-role-templates drover-management",
    "ClusterRole drover-role-templates drover-management aggregating",
    "ClusterRole drover-users drover-users",
    "ClusterRoleBinding drover-cluster-role-template-bindings",
    "ClusterRoleBinding drover-global-role-bindings GlobalRoleBindingReconciled",
    "ClusterRoleBinding drover-users drover-users",
    "ClusterRoleTemplateBinding drover-global-role-bindings ClusterPermissionsReconciled",
    "Namespace drover-clusters drover-clusters-namespace",
    "Namespace drover-projects drover-BackingNamespaceCreated",
    "Role drover-global-roles drover-NamespacedRuleRoleExists",
    "Role drover-projects drover-InitialRolesPopulated",
    "Role drover-registration-token-readers reader",
    "RoleBinding drover-cluster-role-template-bindings",
    "RoleBinding drover-global-role-bindings NamespacedRoleBindingReconciled",
    "RoleBinding drover-project-role-template-bindings",
  ],
  cluster: [
    ...downstream,
    "ClusterRole drover-downstream-impersonators drover-impersonator-role",
    "ClusterRole drover-downstream-project-role-template-bindings",
    "ClusterRoleBinding drover-downstream-cluster-role-template-bindings",
    "ClusterRoleBinding drover-downstream-impersonators drover-impersonator",
    "ClusterRoleBinding drover-downstream-project-role-template-bindings",
    "LimitRange drover-container-limits drover-container-limits",
    "NetworkPolicy drover-network-policies drover-network-policies",
    "ResourceQuota drover-resource-quotas drover-resource-quotas",
    "Role drover-downstream-global-roles drover-inherited-roles",
    "RoleBinding drover-downstream-global-role-bindings drover-inherited-bindings",
    "RoleBinding drover-downstream-project-role-template-bindings",
    "Secret drover-project-secrets",
    "ServiceAccount drover-downstream-impersonators drover-impersonator",
  ],
};
