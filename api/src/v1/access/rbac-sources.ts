/** Roles and bindings in the form in which `rbacChains` reads them. */

import type { PolicyRule } from "@drover/crds";
import type { AccessSources, Wish } from "@drover/platform";
import { apiVersionOf, type Kind, type KubeObject } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding, type RoleRef } from "kopf-ts/kinds";
import type { Binding, RbacGraph } from "./graph.ts";
import type { Rules } from "./rules.ts";

/** What `rbacChains` reads. */
export type RbacSources = Pick<
  AccessSources,
  "clusterRoleBindings" | "roleBindings" | "clusterRole" | "role"
>;

/** Bindings that are told of one subject in one place. */
const mostBindings = 50;

/**
 * The part of a graph that grants a wish: rules that do, and bindings of roles that have such or are missing; the first 50 of a subject. Of bindings only what they are
 * called and which role they grant.
 */
export function rbacSources(graph: RbacGraph, wish: Wish): RbacSources {
  const granting = (role: string) => grantingIn(graph.rulesOf(role), wish);
  const bindings = (subject: string, namespace: string | undefined): readonly Binding[] => {
    const found: Binding[] = [];
    for (const binding of graph.subject(subject)?.bindings ?? []) {
      if (binding.namespace !== namespace || granting(binding.role)?.length === 0) continue;
      if (found.push(binding) === mostBindings) break;
    }
    return found;
  };
  return {
    clusterRole: granting,
    role: (namespace, name) => granting(`${namespace}/${name}`),
    clusterRoleBindings: (subject) => bindings(subject, undefined).map(toClusterRoleBinding),
    roleBindings: (subject, namespace) => bindings(subject, namespace).map(toRoleBinding),
  };
}

function grantingIn(rules: Rules | undefined, wish: Wish): readonly PolicyRule[] | undefined {
  if ("path" in wish) return rules?.grantingUrl(wish.verb, wish.path);
  const resource = { group: wish.apiGroup, plural: wish.resource };
  return rules?.granting(wish.verb, resource, wish.name);
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
