/**
 * Which bindings a ProjectRoleTemplateBinding brings along in its cluster (rancher:
 * pkg/controllers/managementuser/rbac/roletemplates/prtb_handler.go). Pure.
 */

import {
  allowsCreatingNamespaces,
  allowsPodSecurity,
  createNamespacesTemplate,
  namespaceRoles,
  type PolicyRule,
  roleTemplateLabels,
  roleTemplateNames,
} from "@drover/crds";
import { clusterRoleRef, sharedClusterRoleBinding, sharedRoleBinding } from "@drover/platform";
import { apiVersionOf, type KubeObject } from "kopf-ts";
import {
  ClusterRole,
  type ClusterRoleBinding,
  type RoleBinding,
  type Subject,
} from "kopf-ts/kinds";

/** What is granted to whom, and where. */
export interface Grant {
  readonly subject: Subject;
  readonly template: string;
  /** Takes its rules from the ClusterRole of its name, which is granted itself. */
  readonly external: boolean;
  /** Name of the project. */
  readonly project: string;
  /** The project's namespaces in which objects can be made. */
  readonly namespaces: readonly string[];
  /** All that the template allows in the end, with what it inherits. */
  readonly rules: readonly PolicyRule[];
  /** Whether some of it counts outside of namespaces. */
  readonly hasPromoted: boolean;
}

/** Grants the template in each namespace of the project. */
export function roleBindings(grant: Grant): readonly RoleBinding[] {
  const { subject, template, external, namespaces } = grant;
  const role = clusterRoleRef(external ? template : roleTemplateNames.aggregator(template));
  return namespaces.map((namespace) => labelled(sharedRoleBinding(namespace, role, subject)));
}

/**
 * Grants what cannot be granted in a namespace: promoted rules, and what may be done with the project's namespaces themselves. Who may create some may edit all; who
 * may neither create nor loosen Pod security may see them.
 */
export function clusterRoleBindings(grant: Grant): readonly ClusterRoleBinding[] {
  const { subject, template, project, hasPromoted } = grant;
  const creates = allowsCreatingNamespaces(grant.rules);
  const loosens = loosensPodSecurity(grant);
  const roles = [
    ...(hasPromoted ? [roleTemplateNames.promotedAggregator(template)] : []),
    ...(creates ? [createNamespacesTemplate, namespaceRoles.edit(project)] : []),
    ...(loosens ? [namespaceRoles.psa(project)] : []),
    ...(creates || loosens ? [] : [namespaceRoles.readonly(project)]),
  ];
  return roles.map((role) => labelled(sharedClusterRoleBinding(clusterRoleRef(role), subject)));
}

/** The role that loosens Pod security in the project's namespaces; only there while somebody has it. */
export function podSecurityRoles(grant: Grant): readonly ClusterRole[] {
  if (!loosensPodSecurity(grant)) return [];
  const rule = {
    verbs: ["updatepsa"],
    apiGroups: ["management.cattle.io"],
    resources: ["projects"],
    resourceNames: [grant.project],
  };
  const metadata = { name: namespaceRoles.psa(grant.project) };
  const aClusterRole = { apiVersion: apiVersionOf(ClusterRole), kind: ClusterRole.kind };
  return [labelled({ ...aClusterRole, metadata, rules: [rule] })];
}

function loosensPodSecurity({ rules, project }: Grant): boolean {
  return allowsPodSecurity(rules, project);
}

function labelled<T extends KubeObject>(object: T): T {
  const labels = { [roleTemplateLabels.aggregation]: "true" };
  return { ...object, metadata: { ...object.metadata, labels } };
}
