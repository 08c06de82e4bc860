/**
 * Names and labels of what RoleTemplates and their bindings bring along, on the management cluster and in every other (rancher:
 * pkg/rbac/common.go). All of them fit into a label.
 */

import { createHash } from "node:crypto";
import type { RoleRef, Subject } from "kopf-ts/kinds";
import { base32 } from "../base32.ts";
import { safeConcatName } from "../names.ts";

/** Names of ClusterRoles, by the name of the RoleTemplate that they are made for. Bindings grant aggregators. */
export const roleTemplateNames = {
  /** Its own rules; for an external one, the ClusterRole of that name, which is somebody else's. */
  clusterRole: (template: string): string => safeConcatName(template),
  /** Its own rules with all that it inherits. */
  aggregator: (template: string): string => aggregatorOf(roleTemplateNames.clusterRole(template)),
  /** Of a project's template: its own rules that count outside of namespaces. */
  promoted: (template: string): string => safeConcatName(template, "promoted"),
  promotedAggregator: (template: string): string =>
    aggregatorOf(roleTemplateNames.promoted(template)),
  /** Its own rules that count in the namespace of the cluster on the management cluster. */
  clusterManagement: (template: string): string => safeConcatName(template, "cluster-mgmt"),
  clusterManagementAggregator: (template: string): string =>
    aggregatorOf(roleTemplateNames.clusterManagement(template)),
  /** Its own rules that count in the backing namespaces of projects on the management cluster. */
  projectManagement: (template: string): string => safeConcatName(template, "project-mgmt"),
  projectManagementAggregator: (template: string): string =>
    aggregatorOf(roleTemplateNames.projectManagement(template)),
  /** The value of the label that names the owner of a ClusterRole. */
  ownerLabel: (template: string): string => safeConcatName(template),
} as const;

/** All ClusterRoles that a template of this name may have: what two templates must not have in common, or whoever holds one gets what the other allows. */
export function clusterRolesOf(template: string): readonly string[] {
  return [...new Set(Object.values(roleTemplateNames).map((name) => name(template)))];
}

function aggregatorOf(role: string): string {
  return safeConcatName(role, "aggregator");
}

/** Label keys of roles and bindings. */
export const roleTemplateLabels = {
  /** On a ClusterRole: its own name, or that under which aggregators select it. */
  aggregates: "management.cattle.io/aggregates",
  /** On a ClusterRole: the RoleTemplate that it is made for. */
  clusterRoleOwner: "authz.cluster.cattle.io/clusterrole-owner",
  /** "true" on what the aggregated model makes in a cluster, and on bindings and templates that were moved to it. */
  aggregation: "management.cattle.io/roletemplate-aggregation",
  /** "true" on what the aggregated model makes on the management cluster for a managed one. */
  managementAggregation: "management.cattle.io/roletemplate-aggregation-mgmt",
  /** `<namespace>_<name>` of the binding, on what Rancher's legacy model makes in a cluster. */
  legacyOwner: "authz.cluster.cattle.io/rtb-owner-updated",
  /** The name of the binding, on RoleBindings of provisioning in namespace `fleet-default`; also what `clusterBindingOwnerKey` begins with. */
  clusterBindingOwner: "authz.cluster.cattle.io/crtb-owner",
  /** As `clusterBindingOwner`, for ProjectRoleTemplateBindings. */
  projectBindingOwner: "authz.cluster.cattle.io/prtb-owner",
} as const;

/** Label key, with value "true", on what belongs to a ClusterRoleTemplateBinding of this name. An object may belong to several. */
export function clusterBindingOwnerKey(binding: string): string {
  return safeConcatName(roleTemplateLabels.clusterBindingOwner, binding);
}

/** As `clusterBindingOwnerKey`, for a ProjectRoleTemplateBinding. */
export function projectBindingOwnerKey(binding: string): string {
  return safeConcatName(roleTemplateLabels.projectBindingOwner, binding);
}

/**
 * Label key on membership bindings, which all bindings of one subject in one place share: one label each. The value is "true"; in Rancher's legacy
 * model it is one of `legacyMembershipValues`.
 */
export function membershipKey(namespace: string, name: string): string {
  return safeConcatName(`${namespace}_${name}`);
}

/** Values of labels under `membershipKey` in Rancher's legacy model. */
export const legacyMembershipValues = {
  membership: "membership-binding-owner",
  clusterBindingInProject: "crtb-in-project-binding-owner",
  projectBindingInCluster: "prtb-in-cluster-binding-owner",
  /** On ClusterRoleBindings in a managed cluster: what members of a project have there outside of namespaces. */
  projectBindingDownstream: "owner-user",
} as const;

/** Roles by which members see a cluster or a project on the management cluster. */
export const membershipRoles = {
  /** ClusterRole: all about the Cluster itself. */
  clusterOwner: (cluster: string): string => safeConcatName(cluster, "clusterowner"),
  /** ClusterRole: get the Cluster. */
  clusterMember: (cluster: string): string => safeConcatName(cluster, "clustermember"),
  /** Role in the namespace of the cluster: all about the Project itself. */
  projectOwner: (project: string): string => safeConcatName(project, "projectowner"),
  /** Role in the namespace of the cluster: get the Project. */
  projectMember: (project: string): string => safeConcatName(project, "projectmember"),
} as const;

/** Role in the namespace of a cluster: read the Secrets of its ClusterRegistrationTokens. */
export const tokenReaderRole = "crt-token-reader";

/** ClusterRoles in a cluster that say what may be done with the namespaces of a project. */
export const namespaceRoles = {
  /** See them. */
  readonly: (project: string): string => safeConcatName(project, "namespaces-readonly"),
  /** Do anything with them, and move others into the project. */
  edit: (project: string): string => safeConcatName(project, "namespaces-edit"),
  /** Loosen their Pod security: verb updatepsa on the project. */
  psa: (project: string): string => safeConcatName(project, "namespaces-psa"),
} as const;

/** Built-in RoleTemplate: create namespaces. */
export const createNamespacesTemplate = "create-ns";

/**
 * The name of a RoleBinding, which follows from what it grants to whom. `namespace` is that of the binding, save for a project's membership: there it is the
 * name of the project.
 */
export function roleBindingName(namespace: string, role: RoleRef, subject: Subject): string {
  return `rb-${bindingHash(namespace, role, subject)}`;
}

/** The name of a ClusterRoleBinding, which follows from what it grants to whom. */
export function clusterRoleBindingName(role: RoleRef, subject: Subject): string {
  return `crb-${bindingHash("", role, subject)}`;
}

/** Of users and groups as Rancher's. The namespace of a service account counts too, for two of one name are not the same; apart from the name, so that a in bc is not ab in c. */
function bindingHash(namespace: string, role: RoleRef, subject: Subject): string {
  const { kind, name, namespace: home } = subject;
  const place = home ? `/${home}` : "";
  const text = [namespace, role.kind, role.name, kind, name, place].join("");
  const digest = createHash("sha256").update(text).digest();
  return base32(digest).slice(0, 10).toLowerCase();
}
