/** Kinds of rbac.authorization.k8s.io/v1. */

import { defineKind, type Kind, type KubeObject, type Scope } from "../kube/index.ts";
import type { LabelSelector } from "./selector.ts";

/** Allows verbs on resources or on URLs. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The role that a binding grants; it can never be changed. */
export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** To whom a binding grants it. */
export interface Subject {
  readonly kind: "User" | "Group" | "ServiceAccount";
  readonly name: string;
  /** `rbac.authorization.k8s.io` for users and groups, empty for service accounts. */
  readonly apiGroup?: string;
  readonly namespace?: string;
}

/** Rules within one namespace. */
export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
}

export const Role: Kind<Role> = rbacKind<Role>("Role", "roles", "Namespaced");

/** Rules that can be granted in the cluster or in any namespace. */
export interface ClusterRole extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  /** The controller manager fills `rules` from the ClusterRoles that these select. */
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export const ClusterRole: Kind<ClusterRole> = rbacKind<ClusterRole>(
  "ClusterRole",
  "clusterroles",
  "Cluster",
);

/** Grants a Role or a ClusterRole within its namespace. */
export interface RoleBinding extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

export const RoleBinding: Kind<RoleBinding> = rbacKind<RoleBinding>(
  "RoleBinding",
  "rolebindings",
  "Namespaced",
);

/** Grants a ClusterRole everywhere. */
export interface ClusterRoleBinding extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

export const ClusterRoleBinding: Kind<ClusterRoleBinding> = rbacKind<ClusterRoleBinding>(
  "ClusterRoleBinding",
  "clusterrolebindings",
  "Cluster",
);

function rbacKind<T extends KubeObject>(kind: string, plural: string, scope: Scope): Kind<T> {
  return defineKind<T>({ group: "rbac.authorization.k8s.io", version: "v1", plural, kind, scope });
}
