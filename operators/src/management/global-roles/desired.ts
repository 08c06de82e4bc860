/** Which roles a GlobalRole brings along on the management cluster (rancher: pkg/controllers/management/auth/globalroles). Pure. */

import {
  type GlobalRole,
  globalRoleNames,
  labels,
  type PolicyRule,
  ruleFaults,
  storedRules,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { ClusterRole, Role } from "kopf-ts/kinds";

/** A role as it should be, and what is wrong with the rules that it should have. */
export interface Wanted {
  readonly role: ClusterRole | Role;
  readonly faults: readonly string[];
}

/** What the roles depend on besides the GlobalRole. */
export interface Surroundings {
  /** Whether objects can be made in a namespace: it is there and not on its way out. */
  readonly isOpen: (namespace: string) => boolean;
  /** Names of the fleet workspaces but the local one. */
  readonly workspaces: readonly string[];
}

/** The ClusterRole with the global rules; always there, so that bindings have something to refer to. */
export function clusterRole({ metadata, rules }: GlobalRole): Wanted {
  const own = { [labels.globalRole]: "true", ...ownerLabel(metadata.name) };
  const name = globalRoleNames.clusterRole(metadata.name);
  return wanted({ ...aClusterRole, metadata: { name, labels: own } }, rules, "rules");
}

/** A Role in each namespace that has rules and is open. */
export function namespacedRoles(
  { metadata, namespacedRules = {} }: GlobalRole,
  { isOpen }: Pick<Surroundings, "isOpen">,
): readonly Wanted[] {
  return Object.entries(namespacedRules)
    .filter(([namespace]) => isOpen(namespace))
    .map(([namespace, rules]) => {
      const name = globalRoleNames.role(metadata.name, namespace);
      const role = { ...aRole, metadata: { name, namespace, labels: ownerLabel(metadata.name) } };
      return wanted(role, rules, `namespacedRules.${namespace}`);
    });
}

/**
 * The ClusterRoles for fleet workspaces: rules for what is in them, and verbs on the workspaces themselves by name. Without any workspace there are
 * no verbs either, for a rule without names would allow all that will ever be.
 */
export function fleetRoles(
  { metadata, inheritedFleetWorkspacePermissions: permissions = {} }: GlobalRole,
  { workspaces }: Pick<Surroundings, "workspaces">,
): readonly Wanted[] {
  const { resourceRules = [], workspaceVerbs = [] } = permissions;
  const own = { ...ownerLabel(metadata.name), [labels.managedBy]: "rancher" };
  const named = (name: string) => ({ ...aClusterRole, metadata: { name, labels: own } });
  const verbs: PolicyRule = {
    verbs: workspaceVerbs,
    apiGroups: ["management.cattle.io"],
    resources: ["fleetworkspaces"],
    resourceNames: workspaces.toSorted(),
  };
  const field = "inheritedFleetWorkspacePermissions";
  return [
    ...(resourceRules.length > 0
      ? [
          wanted(
            named(globalRoleNames.fleetRules(metadata.name)),
            resourceRules,
            `${field}.resourceRules`,
          ),
        ]
      : []),
    ...(workspaceVerbs.length > 0 && workspaces.length > 0
      ? [wanted(named(globalRoleNames.fleetVerbs(metadata.name)), [verbs], field)]
      : []),
  ];
}

/** Whether anything is said about fleet workspaces. */
export function hasFleetPermissions({ inheritedFleetWorkspacePermissions }: GlobalRole): boolean {
  return inheritedFleetWorkspacePermissions !== undefined;
}

const aClusterRole = { apiVersion: apiVersionOf(ClusterRole), kind: ClusterRole.kind } as const;
const aRole = { apiVersion: apiVersionOf(Role), kind: Role.kind } as const;

function ownerLabel(name: string): Readonly<Record<string, string>> {
  return { [labels.globalRoleOwner]: globalRoleNames.ownerLabel(name) };
}

function wanted(
  role: ClusterRole | Role,
  rules: readonly PolicyRule[] | undefined,
  field: string,
): Wanted {
  const namespaced = role.kind === Role.kind;
  const faults = ruleFaults(rules ?? [], field, { namespaced });
  return { role: { ...role, rules: storedRules(rules ?? []) }, faults };
}
