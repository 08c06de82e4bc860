/** The account through which a user's requests reach a cluster, and what it may claim to be (rancher: pkg/impersonation). Pure. */

import {
  impersonationNamespace,
  impersonatorLabel,
  impersonatorName,
  type PolicyRule,
  type User,
  type UserAttribute,
} from "@drover/crds";
import { groupsOfLogin } from "@drover/platform";
import { apiVersionOf, type OwnerReference } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount } from "kopf-ts/kinds";
import { extras } from "./names.ts";

const labels = { [impersonatorLabel]: "true" };

/** What the account may do: act as this user, in the groups and with the information that its providers tell. */
export function clusterRole(user: User, attribute: UserAttribute | undefined): ClusterRole {
  const { groups, principals, names } = identityOf(user, attribute);
  const authentication = "authentication.k8s.io";
  const rules = [
    allow("", "users", [user.metadata.name]),
    allow(authentication, `userextras/${extras.token}`),
    allow(authentication, `userextras/${extras.host}`),
    allow("", "groups", groups),
    ...(principals.length > 0
      ? [allow(authentication, `userextras/${extras.principal}`, principals)]
      : []),
    ...(names.length > 0 ? [allow(authentication, `userextras/${extras.name}`, names)] : []),
  ];
  return {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name: impersonatorName(user.metadata.name), labels },
    rules,
  };
}

/** The account and its binding; both belong to the role, so that they never outlive it. */
export function account(role: ClusterRole): readonly (ServiceAccount | ClusterRoleBinding)[] {
  const { name, uid = "" } = role.metadata;
  const { apiVersion, kind } = role;
  const ownerReferences = [
    { apiVersion, kind, name, uid },
  ] as const satisfies readonly OwnerReference[];
  const namespace = impersonationNamespace;
  return [
    {
      apiVersion: apiVersionOf(ServiceAccount),
      kind: ServiceAccount.kind,
      metadata: { name, namespace, labels, ownerReferences },
    },
    {
      apiVersion: apiVersionOf(ClusterRoleBinding),
      kind: ClusterRoleBinding.kind,
      metadata: { name, labels, ownerReferences },
      roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}

/** Where all accounts are. */
export const namespace: Namespace = {
  apiVersion: apiVersionOf(Namespace),
  kind: Namespace.kind,
  metadata: { name: impersonationNamespace, labels },
};

/** What requests of a user may carry. Every list is sorted and without doubles, so that nothing differs but what changed. */
interface Identity {
  readonly groups: readonly string[];
  readonly principals: readonly string[];
  readonly names: readonly string[];
}

/** Attributes tell of all providers; system accounts have none, and are known by their User alone. */
function identityOf(user: User, attribute: UserAttribute | undefined): Identity {
  const groups = sorted(groupsOfLogin(attribute));
  if (attribute === undefined) {
    const { displayName, principalIds = [] } = user;
    return {
      groups,
      principals: sorted(principalIds),
      names: displayName ? [displayName] : [],
    };
  }
  const told = Object.values(attribute.ExtraByProvider ?? {});
  return {
    groups,
    principals: sorted(told.flatMap((extra) => extra[extras.principal] ?? [])),
    names: sorted(told.flatMap((extra) => extra[extras.name] ?? [])),
  };
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== "").toSorted();
}

function allow(group: string, resource: string, resourceNames: readonly string[] = []): PolicyRule {
  return {
    verbs: ["impersonate"],
    apiGroups: [group],
    resources: [resource],
    ...(resourceNames.length > 0 && { resourceNames }),
  };
}
