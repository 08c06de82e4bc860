/** Bindings whose names follow from what they grant to whom (rancher: pkg/rbac/common.go). Pure. */

import {
  clusterRoleBindingName,
  makesOwner,
  membershipRoles,
  type PolicyRule,
  roleBindingName,
  roleTemplateLabels,
} from "@drover/crds";
import { apiVersionOf, type Kind, type KubeObject } from "kopf-ts";
import { ClusterRoleBinding, RoleBinding, type RoleRef, type Subject } from "kopf-ts/kinds";
import type { Claimant } from "../claims/index.ts";

const apiGroup = "rbac.authorization.k8s.io";

/** Refers to a ClusterRole. */
export function clusterRoleRef(name: string): RoleRef {
  return { apiGroup, kind: "ClusterRole", name };
}

/** Refers to a Role in the binding's namespace. */
export function roleRef(name: string): RoleRef {
  return { apiGroup, kind: "Role", name };
}

/** Grants a ClusterRole everywhere. */
export function sharedClusterRoleBinding(role: RoleRef, subject: Subject): ClusterRoleBinding {
  return {
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: { name: clusterRoleBindingName(role, subject) },
    roleRef: role,
    subjects: [subject],
  };
}

/** Grants a role in a namespace. `place` is what the name is made from, the namespace unless told. */
export function sharedRoleBinding(
  namespace: string,
  role: RoleRef,
  subject: Subject,
  place: string = namespace,
): RoleBinding {
  return {
    apiVersion: apiVersionOf(RoleBinding),
    kind: RoleBinding.kind,
    metadata: { name: roleBindingName(place, role, subject), namespace },
    roleRef: role,
    subjects: [subject],
  };
}

/** Somebody in a cluster, and what they may do there. */
export interface Member {
  readonly cluster: string;
  readonly subject: Subject;
  readonly rules: readonly PolicyRule[];
}

/** By which a subject sees a cluster on the management cluster: as an owner where the rules make it one, else as a member. */
export function clusterMembership({ cluster, subject, rules }: Member): ClusterRoleBinding {
  const { clusterOwner, clusterMember } = membershipRoles;
  const role = makesOwner(rules, "clusters", cluster) ? clusterOwner : clusterMember;
  return sharedClusterRoleBinding(clusterRoleRef(role(cluster)), subject);
}

/** The same with the label of what is made on the management cluster for a managed one. */
export function onManagementPlane<T extends KubeObject>(binding: T): T {
  const labels = { [roleTemplateLabels.managementAggregation]: "true" };
  return { ...binding, metadata: { ...binding.metadata, labels } };
}

/** Who claims what a binding brings along on the management cluster, as opposed to the cluster `local`, which is the same server. */
export function managementClaimant(kind: Kind, key: string, label: string): Claimant {
  return { kind, cluster: managementCluster, key, label };
}

/** The cluster in claims on the management cluster. */
export const managementCluster = "";
