/** Which RoleBindings a GlobalRoleBinding brings along in every cluster but the local one (rancher: pkg/controllers/management/auth/globalroles). Pure. */

import {
  type GlobalRole,
  type GlobalRoleBinding,
  globalRoleBindingNames,
  globalRoleNames,
  globalRoleSubject,
  labels,
} from "@drover/crds";
import { roleRef } from "@drover/platform";
import { apiVersionOf } from "kopf-ts";
import { RoleBinding } from "kopf-ts/kinds";

/** Grants the Role of each namespace that the GlobalRole has inherited rules for and that is open; nothing without a role, or to nobody. */
export function inheritedBindings(
  binding: GlobalRoleBinding,
  role: GlobalRole | undefined,
  isOpen: (namespace: string) => boolean,
): readonly RoleBinding[] {
  const { name } = binding.metadata;
  const subject = globalRoleSubject(binding);
  if (subject === undefined || role === undefined) return [];
  const own = { [labels.globalRoleBindingOwner]: globalRoleBindingNames.ownerLabel(name) };
  return Object.keys(role.inheritedNamespacedRules ?? {})
    .filter(isOpen)
    .map((namespace) => ({
      apiVersion: apiVersionOf(RoleBinding),
      kind: RoleBinding.kind,
      metadata: {
        name: globalRoleBindingNames.roleBinding(name, namespace),
        namespace,
        labels: own,
      },
      roleRef: roleRef(globalRoleNames.role(role.metadata.name, namespace)),
      subjects: [subject],
    }));
}
