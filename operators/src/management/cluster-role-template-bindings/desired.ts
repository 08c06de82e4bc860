/**
 * What a ClusterRoleTemplateBinding brings along on the management cluster (rancher:
 * pkg/controllers/management/auth/roletemplates/crtb_handler.go). Pure.
 */

import {
  allowsRegistrationTokens,
  type ClusterRoleTemplateBinding,
  labels,
  type PolicyRule,
  roleTemplateNames,
  tokenReaderRole,
} from "@drover/crds";
import { clusterRoleRef, onManagementPlane, roleRef, sharedRoleBinding } from "@drover/platform";
import type { RoleBinding, Subject } from "kopf-ts/kinds";

/** A binding of a subject that is known. */
export interface Grant {
  readonly cluster: string;
  readonly template: string;
  readonly subject: Subject;
  /** What the template grants with all that it inherits. */
  readonly rules: readonly PolicyRule[];
}

/** What the bindings depend on besides the grant. */
export interface Surroundings {
  /** Whether there is an aggregator for the namespace of the cluster. */
  readonly managesCluster: boolean;
  /** Whether there is an aggregator for the namespaces of projects. */
  readonly managesProjects: boolean;
  /** Backing namespaces of the cluster's projects, as far as something can be made in them. */
  readonly projectNamespaces: readonly string[];
}

/** By which the subject works with the objects of the cluster and of its projects, and reads the tokens by which nodes join. */
export function rights(
  { cluster, template, subject, rules }: Grant,
  { managesCluster, managesProjects, projectNamespaces }: Surroundings,
): readonly RoleBinding[] {
  const ofCluster = clusterRoleRef(roleTemplateNames.clusterManagementAggregator(template));
  const ofProjects = clusterRoleRef(roleTemplateNames.projectManagementAggregator(template));
  const bindings = [
    ...(managesCluster ? [sharedRoleBinding(cluster, ofCluster, subject)] : []),
    ...(managesProjects
      ? projectNamespaces.map((namespace) => sharedRoleBinding(namespace, ofProjects, subject))
      : []),
    ...(allowsRegistrationTokens(rules)
      ? [sharedRoleBinding(cluster, roleRef(tokenReaderRole), subject)]
      : []),
  ];
  return bindings.map(onManagementPlane);
}

/**
 * What two bindings of one namespace must not have in common. Bindings that global role bindings make are compared among those of their own owner, for
 * each of these keeps one of its own.
 */
export function contentOf(binding: ClusterRoleTemplateBinding): string {
  const { metadata, clusterName, roleTemplateName } = binding;
  const { userPrincipalName, userName, groupPrincipalName, groupName } = binding;
  const owner = metadata.labels?.[labels.globalRoleBindingOwner];
  const subject = [userPrincipalName, userName, groupPrincipalName, groupName];
  const texts = [metadata.namespace, ...subject, roleTemplateName, clusterName, owner];
  return JSON.stringify(texts.map((text) => text ?? ""));
}

/** The one of several equal bindings that stays: the oldest, and of one age that with the smaller name. Those on their way out do not count. */
export function keeperOf(
  bindings: readonly ClusterRoleTemplateBinding[],
): ClusterRoleTemplateBinding | undefined {
  return bindings
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
    .at(0);
}

/** RFC 3339 times of the API server sort as texts. */
function ageOf({ metadata: { creationTimestamp = "", name } }: ClusterRoleTemplateBinding): string {
  return `${creationTimestamp} ${name}`;
}
