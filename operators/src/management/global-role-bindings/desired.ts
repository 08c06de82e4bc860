/** Which bindings a GlobalRoleBinding brings along on the management cluster (rancher: pkg/controllers/management/auth/globalroles). Pure. */

import {
  type GlobalRole,
  type GlobalRoleBinding,
  globalRoleBindingNames,
  globalRoleNames,
  labels,
  localWorkspaceName,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { ClusterRoleBinding, RoleBinding, type Subject } from "kopf-ts/kinds";

const rbac = "rbac.authorization.k8s.io";

/** A binding of a subject that is known. */
export interface Grant {
  readonly binding: GlobalRoleBinding;
  readonly role: GlobalRole;
  readonly subject: Subject;
}

/** What the bindings depend on besides the grant. */
export interface Surroundings {
  /** Whether objects can be made in a namespace: it is there and not on its way out. */
  readonly isOpen: (namespace: string) => boolean;
  /** Names of the fleet workspaces. */
  readonly workspaces: readonly string[];
}

/** Grants the ClusterRole of the GlobalRole. */
export function clusterRoleBinding({ binding, role, subject }: Grant): ClusterRoleBinding {
  const name = globalRoleBindingNames.clusterRoleBinding(binding.metadata.name);
  const own = { [labels.globalRoleBinding]: "true", ...ownerLabel(binding) };
  return {
    ...aClusterRoleBinding,
    metadata: { name, labels: own },
    roleRef: clusterRole(globalRoleNames.clusterRole(role.metadata.name)),
    subjects: [subject],
  };
}

/** Grants the Role of each namespace that the GlobalRole has rules for and that is open. */
export function namespacedBindings(
  { binding, role, subject }: Grant,
  { isOpen }: Pick<Surroundings, "isOpen">,
): readonly RoleBinding[] {
  return Object.keys(role.namespacedRules ?? {})
    .filter(isOpen)
    .map((namespace) => {
      const name = globalRoleBindingNames.roleBinding(binding.metadata.name, namespace);
      const roleName = globalRoleNames.role(role.metadata.name, namespace);
      return {
        ...aRoleBinding,
        metadata: { name, namespace, labels: ownerLabel(binding) },
        roleRef: { apiGroup: rbac, kind: "Role", name: roleName },
        subjects: [subject],
      };
    });
}

/** Grants rules in the namespace of each fleet workspace but the local one, and verbs on the workspaces themselves. */
export function fleetBindings(
  { binding, role, subject }: Grant,
  { isOpen, workspaces }: Surroundings,
): readonly (RoleBinding | ClusterRoleBinding)[] {
  const { resourceRules = [], workspaceVerbs = [] } = role.inheritedFleetWorkspacePermissions ?? {};
  const others = workspaces.filter((name) => name !== localWorkspaceName);
  const managed = { ...ownerLabel(binding), [labels.managedBy]: "rancher" };
  const roleBinding = (namespace: string): RoleBinding => ({
    ...aRoleBinding,
    metadata: {
      name: globalRoleBindingNames.fleetRules(binding.metadata.name),
      namespace,
      labels: { ...managed, [labels.fleetWorkspacePermissions]: "true" },
    },
    roleRef: clusterRole(globalRoleNames.fleetRules(role.metadata.name)),
    subjects: [subject],
  });
  const verbs: ClusterRoleBinding = {
    ...aClusterRoleBinding,
    metadata: { name: globalRoleBindingNames.fleetVerbs(binding.metadata.name), labels: managed },
    roleRef: clusterRole(globalRoleNames.fleetVerbs(role.metadata.name)),
    subjects: [subject],
  };
  return [
    ...(resourceRules.length > 0 ? others.filter(isOpen).map(roleBinding) : []),
    ...(workspaceVerbs.length > 0 && others.length > 0 ? [verbs] : []),
  ];
}

/** The label by which everybody knows what belongs to the binding. */
export function ownerLabel({ metadata }: GlobalRoleBinding): Readonly<Record<string, string>> {
  return { [labels.globalRoleBindingOwner]: globalRoleBindingNames.ownerLabel(metadata.name) };
}

const aClusterRoleBinding = {
  apiVersion: apiVersionOf(ClusterRoleBinding),
  kind: ClusterRoleBinding.kind,
} as const;
const aRoleBinding = { apiVersion: apiVersionOf(RoleBinding), kind: RoleBinding.kind } as const;

function clusterRole(name: string): ClusterRoleBinding["roleRef"] {
  return { apiGroup: rbac, kind: "ClusterRole", name };
}
