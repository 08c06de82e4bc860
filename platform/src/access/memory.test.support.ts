/** Roles and bindings of a test, found as the caches find them: by the declared indexes. */

import {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  ProjectRoleTemplateBinding,
  RoleTemplate,
} from "@drover/crds";
import { apiVersionOf, type Kind, type KubeObject } from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  type PolicyRule,
  Role,
  RoleBinding,
  type Subject,
} from "kopf-ts/kinds";
import { type AccessSources, inside, rulesOf, subjectIndexes } from "./sources.ts";

/** Sources that have exactly these objects. */
export function memory(objects: readonly KubeObject[]): AccessSources {
  const all = <T extends KubeObject>(kind: Kind<T>): readonly T[] =>
    objects.filter((object) => object.kind === kind.kind) as unknown as readonly T[]; // told apart by kind
  const named = <T extends KubeObject>(kind: Kind<T>, name: string, namespace?: string) =>
    all(kind).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const found = <T extends KubeObject>(
    kind: Kind<T>,
    index: (object: T) => readonly string[],
    value: string,
  ) => all(kind).filter((object) => index(object).includes(value));

  return {
    role: (namespace, name) => rulesOf(named(Role, name, namespace)),
    clusterRole: (name) => rulesOf(named(ClusterRole, name)),
    roleTemplate: (name) => named(RoleTemplate, name),
    globalRole: (name) => named(GlobalRole, name),
    clusterRoleBindings: (subject) =>
      found(ClusterRoleBinding, subjectIndexes.clusterRoleBinding, subject),
    roleBindings: (subject, namespace) =>
      found(RoleBinding, subjectIndexes.roleBinding, inside(namespace, subject)),
    clusterRoleTemplateBindings: (subject, cluster) =>
      found(
        ClusterRoleTemplateBinding,
        subjectIndexes.clusterRoleTemplateBinding,
        inside(cluster, subject),
      ),
    projectRoleTemplateBindings: (subject, project) =>
      found(
        ProjectRoleTemplateBinding,
        subjectIndexes.projectRoleTemplateBinding,
        inside(project, subject),
      ),
    globalRoleBindings: (subject) =>
      found(GlobalRoleBinding, subjectIndexes.globalRoleBinding, subject),
  };
}

/** A ClusterRole. */
export function aClusterRole(name: string, ...rules: readonly PolicyRule[]): ClusterRole {
  return { ...identity(ClusterRole), metadata: { name }, rules };
}

/** A Role. */
export function aRole(namespace: string, name: string, ...rules: readonly PolicyRule[]): Role {
  return { ...identity(Role), metadata: { namespace, name }, rules };
}

/** A ClusterRoleBinding to the ClusterRole of the same name. */
export function bindEverywhere(name: string, ...subjects: readonly Subject[]): ClusterRoleBinding {
  const roleRef = { apiGroup: ClusterRole.group, kind: "ClusterRole", name };
  return { ...identity(ClusterRoleBinding), metadata: { name }, roleRef, subjects };
}

/** A RoleBinding to the Role or ClusterRole of the same name. */
export function bindIn(
  namespace: string,
  kind: "Role" | "ClusterRole",
  name: string,
  ...subjects: readonly Subject[]
): RoleBinding {
  const roleRef = { apiGroup: ClusterRole.group, kind, name };
  return { ...identity(RoleBinding), metadata: { namespace, name }, roleRef, subjects };
}

/** Subjects. */
export function user(name: string): Subject {
  return { kind: "User", apiGroup: ClusterRole.group, name };
}

export function group(name: string): Subject {
  return { kind: "Group", apiGroup: ClusterRole.group, name };
}

/** A rule of the core group. */
export function may(verb: string, resource: string): PolicyRule {
  return { verbs: [verb], apiGroups: [""], resources: [resource] };
}

function identity(kind: Kind): Pick<KubeObject, "apiVersion" | "kind"> {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}
