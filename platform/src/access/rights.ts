/** Which rules somebody holds, and where. */

import { covers, flatten, type GlobalRole, localClusterName, type PolicyRule } from "@drover/crds";
import type { RoleRef } from "kopf-ts/kinds";
import { type Caller, isSuperuser, keysOf } from "./caller.ts";
import type { AccessSources } from "./sources.ts";

/** All that can be allowed. */
export const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/**
 * The rules that somebody holds, by where they hold. Each is looked up when it is asked for, at a cost that grows with the bindings of the caller and of
 * their groups there. A binding whose role cannot be resolved gives nothing, as in Kubernetes: rights only ever add up.
 */
export interface Rights {
  /** In the whole local cluster, from ClusterRoleBindings. */
  everywhere(): readonly PolicyRule[];
  /** In a namespace of the local cluster, from RoleBindings besides. */
  inNamespace(namespace: string): readonly PolicyRule[];
  /** In a cluster: in its namespace, from its role template bindings, and from what global roles bring along. */
  inCluster(cluster: string): readonly PolicyRule[];
  /** In a project (`<cluster>:<project>`): in its backing namespace, and from its role template bindings. */
  inProject(project: string, namespace: string): readonly PolicyRule[];
  /** In every cluster but the local one, from global roles. */
  inManagedClusters(): readonly PolicyRule[];
  /** In this namespace of every cluster but the local one, from global roles. */
  inManagedNamespace(namespace: string): readonly PolicyRule[];
  /** In the namespaces of all fleet workspaces. */
  inWorkspaces(): readonly PolicyRule[];
  /** On all fleet workspaces themselves. */
  onWorkspaces(): readonly PolicyRule[];
}

/** The rights of a caller. */
export function rightsOf(caller: Caller, sources: AccessSources): Rights {
  return isSuperuser(caller) ? allRights : rightsOfKeys(keysOf(caller), sources);
}

const all = (): readonly PolicyRule[] => everything;

const allRights: Rights = {
  everywhere: all,
  inNamespace: all,
  inCluster: all,
  inProject: all,
  inManagedClusters: all,
  inManagedNamespace: all,
  inWorkspaces: all,
  onWorkspaces: all,
};

function rightsOfKeys(keys: readonly string[], sources: AccessSources): Rights {
  const everywhere = () => clusterRules(keys, sources);
  const inNamespace = (namespace: string) => [
    ...everywhere(),
    ...namespaceRules(keys, namespace, sources),
  ];
  const fromGlobalRoles = (part: (role: GlobalRole) => readonly PolicyRule[]) =>
    globalRoles(keys, sources).flatMap(part);
  const inManagedClusters = () => fromGlobalRoles((role) => inheritedRules(role, sources));

  return {
    everywhere,
    inNamespace,
    inManagedClusters,
    inCluster: (cluster) => [
      ...inNamespace(cluster),
      ...templateRules(
        keys.flatMap((key) => sources.clusterRoleTemplateBindings(key, cluster)),
        sources,
      ),
      ...(cluster === localClusterName ? [] : inManagedClusters()),
    ],
    inProject: (project, namespace) => [
      ...inNamespace(namespace),
      ...templateRules(
        keys.flatMap((key) => sources.projectRoleTemplateBindings(key, project)),
        sources,
      ),
    ],
    inManagedNamespace: (namespace) => [
      ...inManagedClusters(),
      ...fromGlobalRoles((role) => role.inheritedNamespacedRules?.[namespace] ?? []),
    ],
    inWorkspaces: () => [...everywhere(), ...fromGlobalRoles(workspaceRules)],
    onWorkspaces: () => [...everywhere(), ...fromGlobalRoles(workspaceVerbRules)],
  };
}

function clusterRules(keys: readonly string[], sources: AccessSources): readonly PolicyRule[] {
  const refs = keys
    .flatMap((key) => sources.clusterRoleBindings(key))
    .map(({ roleRef }) => roleRef);
  return distinctRefs(refs).flatMap(({ name }) => sources.clusterRole(name) ?? []);
}

function namespaceRules(
  keys: readonly string[],
  namespace: string,
  sources: AccessSources,
): readonly PolicyRule[] {
  const bindings = keys.flatMap((key) => sources.roleBindings(key, namespace));
  return distinctRefs(bindings.map(({ roleRef }) => roleRef)).flatMap(
    ({ kind, name }) =>
      (kind === "Role" ? sources.role(namespace, name) : sources.clusterRole(name)) ?? [],
  );
}

/** Hundreds of bindings may grant one role; its rules count once. */
function distinctRefs(refs: readonly RoleRef[]): readonly RoleRef[] {
  return [...new Map(refs.map((ref) => [`${ref.kind}/${ref.name}`, ref])).values()];
}

interface TemplateBinding {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly roleTemplateName: string;
}

/** What is being deleted grants nothing any more that could be handed on. */
function templateRules(
  bindings: readonly TemplateBinding[],
  sources: AccessSources,
): readonly PolicyRule[] {
  const live = bindings.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const names = new Set(live.map(({ roleTemplateName }) => roleTemplateName));
  return [...names].flatMap((name) => knownRules(name, sources));
}

function knownRules(name: string, sources: AccessSources): readonly PolicyRule[] {
  const template = sources.roleTemplate(name);
  if (template === undefined) return [];
  try {
    return flatten(template, sources);
  } catch {
    return []; // a circle, or something it inherits is missing: nobody knows what it allows
  }
}

function globalRoles(keys: readonly string[], sources: AccessSources): readonly GlobalRole[] {
  const bindings = keys.flatMap((key) => sources.globalRoleBindings(key));
  const live = bindings.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const names = new Set(live.map(({ globalRoleName }) => globalRoleName));
  return [...names].flatMap((name) => {
    const role = sources.globalRole(name);
    return role === undefined || role.metadata.deletionTimestamp !== undefined ? [] : [role];
  });
}

/** Rules in every cluster but the local one. Who has an administrator's role is administrator there too (rancher: pkg/controllers/managementuser/rbac). */
function inheritedRules(role: GlobalRole, sources: AccessSources): readonly PolicyRule[] {
  if (isAdminRole(role)) return everything;
  return (role.inheritedClusterRoles ?? []).flatMap((name) => knownRules(name, sources));
}

/** Whether a global role allows everything, and so makes administrators of all clusters. */
export function isAdminRole({ rules = [] }: GlobalRole): boolean {
  return covers(rules, everything).length === 0;
}

/** Rules in the namespace of every fleet workspace. */
export function workspaceRules(role: GlobalRole): readonly PolicyRule[] {
  return role.inheritedFleetWorkspacePermissions?.resourceRules ?? [];
}

/** Verbs on every fleet workspace, as a rule. */
export function workspaceVerbRules(role: GlobalRole): readonly PolicyRule[] {
  const verbs = role.inheritedFleetWorkspacePermissions?.workspaceVerbs ?? [];
  if (verbs.length === 0) return [];
  return [{ verbs, apiGroups: ["management.cattle.io"], resources: ["fleetworkspaces"] }];
}
