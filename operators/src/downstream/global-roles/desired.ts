/** Which Roles a GlobalRole brings along in every cluster but the local one (rancher: pkg/controllers/management/auth/globalroles). Pure. */

import { type GlobalRole, globalRoleNames, labels, ruleFaults, storedRules } from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { Role } from "kopf-ts/kinds";

/** A Role as it should be, and whether its rules can be stored. */
export interface Wanted {
  readonly role: Role;
  readonly isFaulty: boolean;
}

/** A Role in each namespace that has inherited rules and is open. */
export function inheritedRoles(
  { metadata, inheritedNamespacedRules = {} }: GlobalRole,
  isOpen: (namespace: string) => boolean,
): readonly Wanted[] {
  const own = { [labels.globalRoleOwner]: globalRoleNames.ownerLabel(metadata.name) };
  return Object.entries(inheritedNamespacedRules)
    .filter(([namespace]) => isOpen(namespace))
    .map(([namespace, rules]) => ({
      role: {
        apiVersion: apiVersionOf(Role),
        kind: Role.kind,
        metadata: { name: globalRoleNames.role(metadata.name, namespace), namespace, labels: own },
        rules: storedRules(rules),
      },
      isFaulty: ruleFaults(rules, namespace, { namespaced: true }).length > 0,
    }));
}
