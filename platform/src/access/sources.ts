/** Where rights come from: roles and bindings, found by whom they name; and the caches that have them. */

import {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  type PolicyRule,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  type RuleSources,
} from "@drover/crds";
import { type CacheAccess, type KubeObject, type Readable, readable } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "kopf-ts/kinds";
import { boundKey, subjectKey } from "./caller.ts";

/** Finds roles by name, and bindings by key of whom they name. */
export interface AccessSources extends RuleSources {
  role(namespace: string, name: string): readonly PolicyRule[] | undefined;
  globalRole(name: string): GlobalRole | undefined;
  clusterRoleBindings(subject: string): readonly ClusterRoleBinding[];
  roleBindings(subject: string, namespace: string): readonly RoleBinding[];
  clusterRoleTemplateBindings(
    subject: string,
    cluster: string,
  ): readonly ClusterRoleTemplateBinding[];
  /** `project` is `<cluster>:<project>`. */
  projectRoleTemplateBindings(
    subject: string,
    project: string,
  ): readonly ProjectRoleTemplateBinding[];
  globalRoleBindings(subject: string): readonly GlobalRoleBinding[];
}

/** Name of the index of each kind of binding. */
export const bySubject = "access.subject";

/** Values of that index, by kind of binding; bindings within something have it before the key. */
export const subjectIndexes = {
  clusterRoleBinding: ({ subjects }: ClusterRoleBinding): readonly string[] =>
    distinct((subjects ?? []).map((subject) => subjectKey(subject, undefined))),
  roleBinding: ({ metadata: { namespace }, subjects }: RoleBinding): readonly string[] =>
    distinct((subjects ?? []).map((subject) => within(namespace, subjectKey(subject, namespace)))),
  // One outside of its cluster's namespace was never admitted.
  clusterRoleTemplateBinding: (binding: ClusterRoleTemplateBinding): readonly string[] =>
    binding.clusterName === binding.metadata.namespace
      ? distinct([within(binding.clusterName, boundKey(binding))])
      : [],
  projectRoleTemplateBinding: (binding: ProjectRoleTemplateBinding): readonly string[] =>
    distinct([within(binding.projectName, boundKey(binding))]),
  globalRoleBinding: (binding: GlobalRoleBinding): readonly string[] =>
    distinct([boundKey(binding)]),
} as const;

/** What to declare for the part of `accessSources` that every cluster has: Kubernetes' own roles and bindings. */
export const rbacReads: readonly Readable[] = [
  readable(ClusterRole),
  readable(Role),
  indexed(ClusterRoleBinding, subjectIndexes.clusterRoleBinding),
  indexed(RoleBinding, subjectIndexes.roleBinding),
];

/** What to declare as `reads` before all of `accessSources` can be used. */
export const accessReads: readonly Readable[] = [
  ...rbacReads,
  readable(RoleTemplate),
  readable(GlobalRole),
  indexed(ClusterRoleTemplateBinding, subjectIndexes.clusterRoleTemplateBinding),
  indexed(ProjectRoleTemplateBinding, subjectIndexes.projectRoleTemplateBinding),
  indexed(GlobalRoleBinding, subjectIndexes.globalRoleBinding),
];

/** Roles and bindings as the caches have them; each look-up costs what it finds. */
export function accessSources(cache: CacheAccess): AccessSources {
  return {
    ...ruleSources(cache),
    role: (namespace, name) => rulesOf(cache(Role).get(`${namespace}/${name}`)),
    globalRole: (name) => cache(GlobalRole).get(name),
    clusterRoleBindings: (subject) => cache(ClusterRoleBinding).byIndex(bySubject, subject),
    roleBindings: (subject, namespace) =>
      cache(RoleBinding).byIndex(bySubject, inside(namespace, subject)),
    clusterRoleTemplateBindings: (subject, cluster) =>
      cache(ClusterRoleTemplateBinding).byIndex(bySubject, inside(cluster, subject)),
    projectRoleTemplateBindings: (subject, project) =>
      cache(ProjectRoleTemplateBinding).byIndex(bySubject, inside(project, subject)),
    globalRoleBindings: (subject) => cache(GlobalRoleBinding).byIndex(bySubject, subject),
  };
}

function ruleSources(cache: CacheAccess): RuleSources {
  return {
    roleTemplate: (name) => cache(RoleTemplate).get(name),
    clusterRole: (name) => rulesOf(cache(ClusterRole).get(name)),
  };
}

/** The rules of a role that exists; one without rules allows nothing. */
export function rulesOf(role: ClusterRole | Role | undefined): readonly PolicyRule[] | undefined {
  return role === undefined ? undefined : (role.rules ?? []);
}

/** Where index values of bindings within `place` are found. */
export function inside(place: string, key: string): string {
  return `${place}/${key}`;
}

function within(place: string | undefined, key: string | undefined): string | undefined {
  return place === undefined || key === undefined ? undefined : inside(place, key);
}

function distinct(keys: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(keys.filter((key) => key !== undefined))];
}

function indexed<T extends KubeObject>(
  kind: Parameters<typeof readable<T>>[0],
  values: (object: T) => readonly string[],
): Readable {
  return readable(kind, { indexes: { [bySubject]: values } });
}
