/** Which RoleBindings belong to bindings of projects, and whether a namespace's roles are complete. Pure. */

import {
  type ProjectRoleTemplateBinding,
  projectBindingOwnerKey,
  projectNamespacesAnnotation,
  roleTemplateLabels,
} from "@drover/crds";
import {
  type ClusterRole,
  type ClusterRoleBinding,
  Namespace,
  type RoleBinding,
} from "kopf-ts/kinds";
import { oldestOwnerKey } from "./names.ts";

const ownerPrefix = `${roleTemplateLabels.projectBindingOwner}-`;

/**
 * By what a RoleBinding names the ProjectRoleTemplateBindings that it belongs to: a label key each, or in Rancher's older models the value of a label. None for
 * one that belongs to none, and for those on the management cluster, which grant other things.
 */
export function ownersOf({ metadata }: Pick<RoleBinding, "metadata">): readonly string[] {
  const found = metadata.labels ?? {};
  if (found[roleTemplateLabels.managementAggregation] === "true") return [];
  const keys = Object.keys(found).filter((key) => key.startsWith(ownerPrefix));
  const values = [roleTemplateLabels.legacyOwner, oldestOwnerKey].flatMap(
    (key) => found[key] ?? [],
  );
  return [...keys, ...values].filter((owner) => owner !== "");
}

/** What RoleBindings of this binding name it by. */
function namesOf({ metadata }: ProjectRoleTemplateBinding): readonly string[] {
  const { name, namespace = "", uid } = metadata;
  return [projectBindingOwnerKey(name), `${namespace}_${name}`, ...(uid ? [uid] : [])];
}

/** Those that belong to a binding of some project, and to none of these. */
export function straysAmong(
  roleBindings: readonly RoleBinding[],
  bindings: readonly ProjectRoleTemplateBinding[],
): readonly RoleBinding[] {
  const names = new Set(bindings.flatMap(namesOf));
  return roleBindings.filter((each) => {
    const owners = ownersOf(each);
    return owners.length > 0 && !owners.some((owner) => names.has(owner));
  });
}

/** Key of the ClusterRoleTemplateBinding that a legacy binding may as well be of, if there is one: its label has nothing that tells. */
export function clusterBindingKeyOf({ metadata }: RoleBinding): string | undefined {
  const value = metadata.labels?.[roleTemplateLabels.legacyOwner] ?? "";
  return /^[^_]+_./.test(value) ? value.replace("_", "/") : undefined;
}

/** The namespaces that a ClusterRole of a project is about. */
export function namespacesOf({ metadata, rules }: ClusterRole): readonly string[] {
  if (metadata.annotations?.[projectNamespacesAnnotation] === undefined) return [];
  const about = rules?.filter(({ resources }) => resources?.includes(Namespace.plural)) ?? [];
  return [...new Set(about.flatMap(({ resourceNames = [] }) => resourceNames))];
}

/** What a ClusterRoleBinding grants to users, as `grantKey` has it. */
export function grantsOf({ roleRef, subjects = [] }: ClusterRoleBinding): readonly string[] {
  return subjects
    .filter(({ kind }) => kind === "User")
    .map(({ name }) => grantKey(roleRef.name, name));
}

/** A role and a user. */
export function grantKey(role: string, user: string): string {
  return `${role}/${user}`;
}

/** What there is of the roles of a namespace in a project. */
export interface Found {
  /** ClusterRoles that name it. */
  readonly roles: readonly string[];
  /** Bindings of its project. */
  readonly bindings: readonly ProjectRoleTemplateBinding[];
  /** How many RoleBindings in it belong to such bindings. */
  readonly roleBindings: number;
  readonly creator: string | undefined;
  readonly isGranted: (grant: string) => boolean;
}

/**
 * Whether nothing is to come any more: roles to read and to change it, something for its creator, a RoleBinding if its project has bindings. A creator who
 * is no member by name (an administrator, or one of a group) gets nothing that could be waited for.
 */
export function isComplete({ roles, bindings, roleBindings, creator, isGranted }: Found): boolean {
  if (roles.length < 2) return false;
  const isMember = bindings.some(({ userName }) => userName !== undefined && userName === creator);
  if (isMember && !roles.some((role) => isGranted(grantKey(role, creator ?? "")))) return false;
  return bindings.length === 0 || roleBindings > 0;
}
