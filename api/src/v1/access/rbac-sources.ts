import type { AccessSources } from "@drover/platform";
import { apiVersionOf, type Kind, type KubeObject } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding, type RoleRef } from "kopf-ts/kinds";
import type { Binding, RbacGraph } from "./graph.ts";

/** What `rbacChains` reads. */
export type RbacSources = Pick<
  AccessSources,
  "clusterRoleBindings" | "roleBindings" | "clusterRole" | "role"
>;

/** Roles and bindings of a graph; of bindings only what they are called and which role they grant. */
export function rbacSources(graph: RbacGraph): RbacSources {
  const bindings = (subject: string, namespace: string | undefined): readonly Binding[] =>
    [...(graph.subject(subject)?.bindings ?? [])].filter((each) => each.namespace === namespace);
  return {
    clusterRole: (name) => graph.rulesOf(name)?.written,
    role: (namespace, name) => graph.rulesOf(`${namespace}/${name}`)?.written,
    clusterRoleBindings: (subject) => bindings(subject, undefined).map(toClusterRoleBinding),
    roleBindings: (subject, namespace) => bindings(subject, namespace).map(toRoleBinding),
  };
}

function toClusterRoleBinding({ key, role }: Binding): ClusterRoleBinding {
  return { ...identityOf(ClusterRoleBinding), metadata: { name: key }, roleRef: roleRefOf(role) };
}

function toRoleBinding({ key, namespace = "", role }: Binding): RoleBinding {
  const metadata = { namespace, name: key.slice(namespace.length + 1) };
  return { ...identityOf(RoleBinding), metadata, roleRef: roleRefOf(role) };
}

function roleRefOf(role: string): RoleRef {
  const slash = role.indexOf("/");
  const kind = slash < 0 ? ClusterRole.kind : Role.kind;
  return { apiGroup: ClusterRole.group, kind, name: role.slice(slash + 1) };
}

function identityOf(kind: Kind): Pick<KubeObject, "apiVersion" | "kind"> {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}
