/** On which way somebody comes to a right: binding, roles, rule. Pure. */

import {
  covers,
  type GlobalRole,
  localClusterName,
  type PolicyRule,
  type RoleTemplate,
} from "@drover/crds";
import { type KubeObject, type ObjectRef, refTo } from "kopf-ts";
import { ClusterRole, Role, type RoleRef } from "kopf-ts/kinds";
import { type Caller, keysOf } from "./caller.ts";
import { everything, isAdminRole } from "./rights.ts";
import type { AccessSources } from "./sources.ts";

/** One thing that somebody wants to do: with a resource, or at a path of the API server that is none. */
export type Wish = ResourceWish | PathWish;

/** With a resource. */
export interface ResourceWish {
  readonly verb: string;
  readonly apiGroup: string;
  /** With a subresource behind a slash, as in rules. */
  readonly resource: string;
  /** Of one object; any object unless told. */
  readonly name?: string;
}

/** At a path, such as `/metrics`. */
export interface PathWish {
  readonly verb: string;
  readonly path: string;
}

/** Where it is wanted. */
export interface WishPlace {
  readonly cluster: string;
  /** None: in the whole cluster, or for what is in no namespace. */
  readonly namespace?: string;
  /** The project of the namespace, `<cluster>:<project>`. */
  readonly project?: string;
}

/** A way to a right. `links` begin with the binding and end with the role that has the rule. */
export interface Chain {
  readonly links: readonly [ObjectRef, ...ObjectRef[]];
  readonly rule: PolicyRule;
}

/** The wish as a rule that would just grant it. */
export function wishRule(wish: Wish): PolicyRule {
  if ("path" in wish) return { verbs: [wish.verb], nonResourceURLs: [wish.path] };
  const { verb, apiGroup, resource, name } = wish;
  const resourceNames = name === undefined ? {} : { resourceNames: [name] };
  return { verbs: [verb], apiGroups: [apiGroup], resources: [resource], ...resourceNames };
}

/** Whether one rule alone grants the wish. */
export function grants(rule: PolicyRule, wish: Wish): boolean {
  return covers([rule], [wishRule(wish)]).length === 0;
}

/**
 * Every way on which objects of ours declare the right, whether or not the cluster shows it yet: cluster and project role template bindings through
 * templates and what they inherit, and global role bindings. `sources` are those of the management cluster.
 */
export function declaredChains(
  caller: Caller,
  wish: Wish,
  place: WishPlace,
  sources: AccessSources,
): readonly Chain[] {
  const { cluster, project } = place;
  const keys = keysOf(caller);
  const templated = [
    ...keys.flatMap((key) => sources.clusterRoleTemplateBindings(key, cluster)),
    ...(project === undefined
      ? []
      : keys.flatMap((key) => sources.projectRoleTemplateBindings(key, project))),
  ].filter(stays);
  const global = keys.flatMap((key) => sources.globalRoleBindings(key)).filter(stays);
  return [
    ...templated.flatMap((binding) =>
      throughTemplate([refOf(binding)], binding.roleTemplateName, wish, sources),
    ),
    ...global.flatMap((binding) => {
      const role = sources.globalRole(binding.globalRoleName);
      return role === undefined
        ? []
        : throughGlobalRole([refOf(binding)], role, wish, place, sources);
    }),
  ];
}

/** Every way on which a cluster's own RBAC grants the right. `sources` are those of that cluster. */
export function rbacChains(
  caller: Caller,
  wish: Wish,
  { namespace }: Pick<WishPlace, "namespace">,
  sources: Pick<AccessSources, "clusterRoleBindings" | "roleBindings" | "clusterRole" | "role">,
): readonly Chain[] {
  const keys = keysOf(caller);
  const bindings = [
    ...keys.flatMap((key) => sources.clusterRoleBindings(key)),
    ...(namespace === undefined ? [] : keys.flatMap((key) => sources.roleBindings(key, namespace))),
  ];
  return bindings.flatMap((binding) => {
    const { roleRef, metadata } = binding;
    const links = [refOf(binding), roleOf(roleRef, metadata.namespace)] as const;
    return granting(rulesBehind(roleRef, metadata.namespace, sources), wish).map((rule) => ({
      links,
      rule,
    }));
  });
}

type Links = Chain["links"];

/** Depth first through everything that is inherited; each template once. Takes circles and missing templates for the end of a way. */
function throughTemplate(
  links: Links,
  name: string,
  wish: Wish,
  sources: AccessSources,
  seen: Set<string> = new Set(),
): readonly Chain[] {
  const template = seen.has(name) ? undefined : sources.roleTemplate(name);
  if (template === undefined) return [];
  seen.add(name);
  const here: Links = [...links, refOf(template)];
  return [
    ...granting(template.rules ?? [], wish).map((rule) => ({ links: here, rule })),
    ...throughExternal(here, template, wish, sources),
    ...(template.roleTemplateNames ?? []).flatMap((each) =>
      throughTemplate(here, each, wish, sources, seen),
    ),
  ];
}

function throughExternal(
  links: Links,
  { external = false, externalRules, metadata }: RoleTemplate,
  wish: Wish,
  sources: AccessSources,
): readonly Chain[] {
  if (!external) return [];
  const role = refTo(ClusterRole, metadata.name);
  const rules = externalRules ?? sources.clusterRole(metadata.name) ?? [];
  return granting(rules, wish).map((rule) => ({ links: [...links, role], rule }));
}

function throughGlobalRole(
  links: Links,
  role: GlobalRole,
  wish: Wish,
  place: WishPlace,
  sources: AccessSources,
): readonly Chain[] {
  const here: Links = [...links, refOf(role)];
  const { cluster, namespace = "" } = place;
  const own = (rules: readonly PolicyRule[] = []): readonly Chain[] =>
    granting(rules, wish).map((rule) => ({ links: here, rule }));
  if (cluster === localClusterName) {
    return [...own(role.rules), ...own(role.namespacedRules?.[namespace])];
  }
  if (isAdminRole(role)) return own(everything);
  return [
    ...own(role.inheritedNamespacedRules?.[namespace]),
    ...(role.inheritedClusterRoles ?? []).flatMap((name) =>
      throughTemplate(here, name, wish, sources),
    ),
  ];
}

function granting(rules: readonly PolicyRule[], wish: Wish): readonly PolicyRule[] {
  return rules.filter((rule) => grants(rule, wish));
}

function rulesBehind(
  { kind, name }: RoleRef,
  namespace: string | undefined,
  sources: Pick<AccessSources, "clusterRole" | "role">,
): readonly PolicyRule[] {
  const rules =
    kind === Role.kind && namespace !== undefined
      ? sources.role(namespace, name)
      : sources.clusterRole(name);
  return rules ?? [];
}

function roleOf({ kind, name }: RoleRef, namespace: string | undefined): ObjectRef {
  return kind === Role.kind ? refTo(Role, name, namespace) : refTo(ClusterRole, name);
}

function refOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): ObjectRef {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

/** What is being deleted grants nothing that lasts. */
function stays({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.deletionTimestamp === undefined;
}
