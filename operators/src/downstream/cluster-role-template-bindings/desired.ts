/** Which binding a ClusterRoleTemplateBinding brings along in its cluster (rancher: pkg/rbac/common.go). Pure. */

import {
  type ClusterRoleTemplateBinding,
  type RoleTemplate,
  roleTemplateLabels,
  roleTemplateNames,
  roleTemplateSubject,
} from "@drover/crds";
import { clusterRoleRef, sharedClusterRoleBinding } from "@drover/platform";
import type { ConditionUpdate } from "kopf-ts";
import type { ClusterRoleBinding } from "kopf-ts/kinds";
import { conditions, reasons } from "./names.ts";

/** What is granted, or why nothing is. */
export interface Desired {
  readonly bindings: readonly ClusterRoleBinding[];
  readonly obstacle?: ConditionUpdate;
}

/** Grants the template's aggregator everywhere; an external template's own ClusterRole. */
export function clusterRoleBindings(
  binding: ClusterRoleTemplateBinding,
  template: RoleTemplate | undefined,
  cluster: string,
): Desired {
  const { clusterName, roleTemplateName } = binding;
  if (clusterName !== cluster) {
    return none(reasons.otherCluster, `clusterName ${clusterName} is not the namespace's cluster`);
  }
  const subject = roleTemplateSubject(binding);
  if (typeof subject === "string") return nobody(binding, subject === "ambiguous");
  if (template === undefined) {
    const message = `roletemplates.management.cattle.io "${roleTemplateName}" not found: make it, or delete the binding`;
    return none(reasons.noTemplate, message);
  }
  const shared = sharedClusterRoleBinding(clusterRoleRef(roleNameOf(template)), subject);
  const labels = { [roleTemplateLabels.aggregation]: "true" };
  return { bindings: [{ ...shared, metadata: { ...shared.metadata, labels } }] };
}

function roleNameOf({ external = false, metadata: { name } }: RoleTemplate): string {
  return external ? name : roleTemplateNames.aggregator(name);
}

function nobody({ userPrincipalName }: ClusterRoleTemplateBinding, ambiguous: boolean): Desired {
  if (ambiguous)
    return none(reasons.ambiguousSubject, "a user and a group are named: nobody is bound");
  if (!userPrincipalName) return none(reasons.noSubject, "no user and no group is named");
  const message = `userName is not filled in for ${userPrincipalName} yet`;
  return none(reasons.waitsForSubject, message, "Unknown");
}

function none(reason: string, message: string, status: "False" | "Unknown" = "False"): Desired {
  return { bindings: [], obstacle: { type: conditions.binding, status, reason, message } };
}
