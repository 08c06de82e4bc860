import {
  Cluster,
  ClusterRoleTemplateBinding,
  FleetWorkspace,
  GlobalRole,
  GlobalRoleBinding,
  globalRoleBindingNames,
  labels,
  User,
} from "@drover/crds";
import { globalRolesForNewUsers, ownedForm, usersByPrincipal } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type KubeObject,
  owned,
  related,
} from "kopf-ts";
import { ClusterRoleBinding, Namespace, RoleBinding } from "kopf-ts/kinds";
import { bindingIndexes, controllerName, roleIndexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

const bindingsForm = ownedForm(labels.globalRoleBindingOwner);

/** Makes the bindings of the management cluster that GlobalRoleBindings stand for, and finds or makes the users that they name. */
export const globalRoleBindings: Controller<GlobalRoleBinding> = {
  name: controllerName,
  watches: GlobalRoleBinding,
  terminating: true, // to let go of those that a legacy finalizer holds
  indexes: {
    [bindingIndexes.role]: ({ globalRoleName }) => [globalRoleName],
    [bindingIndexes.user]: ({ userName }) => (userName ? [userName] : []),
    [bindingIndexes.ownerLabel]: ({ metadata }) => [
      globalRoleBindingNames.ownerLabel(metadata.name),
    ],
  },
  owns: [
    owned(ClusterRoleBinding, bindingsForm),
    owned(RoleBinding, bindingsForm),
    owned(ClusterRoleTemplateBinding, { ...bindingsForm, when: changed(allButStatus) }),
  ],
  related: [
    related(ClusterRoleBinding, { map: labelled }),
    related(RoleBinding, { map: labelled }),
    related(ClusterRoleTemplateBinding, { when: changed(allButStatus), map: labelled }),
    related(GlobalRole, {
      indexes: {
        [globalRolesForNewUsers.name]: globalRolesForNewUsers.of,
        [roleIndexes.namespace]: ({ namespacedRules = {} }) => Object.keys(namespacedRules),
        [roleIndexes.clusters]: ({ inheritedClusterRoles = [], inheritedNamespacedRules = {} }) =>
          inheritedClusterRoles.length + Object.keys(inheritedNamespacedRules).length > 0
            ? ["true"]
            : [],
        [roleIndexes.fleet]: ({ inheritedFleetWorkspacePermissions }) =>
          inheritedFleetWorkspacePermissions === undefined ? [] : ["true"],
      },
      when: changed(({ metadata: { generation, uid } }) => [generation, uid]),
      map: ({ metadata }, cache) => bindingsOf([metadata.name], cache),
    }),
    related(User, {
      indexes: { [usersByPrincipal.name]: usersByPrincipal.of },
      when: changed(({ metadata, principalIds }) => [isLeaving({ metadata }), principalIds]),
      map: ({ metadata }, cache) =>
        cache(GlobalRoleBinding).keysByIndex(bindingIndexes.user, metadata.name),
    }),
    related(Namespace, { when: changed(isLeaving), map: concernedByNamespace }),
    related(Cluster, {
      metadataOnly: true,
      when: changed(isLeaving),
      map: (_, cache) => bindingsWith(roleIndexes.clusters, "true", cache),
    }),
    related(FleetWorkspace, {
      when: changed(isLeaving),
      map: (_, cache) => bindingsWith(roleIndexes.fleet, "true", cache),
    }),
  ],
  reconcile,
  gone: forget,
};

/** A namespace may have rules of its own, be that of a cluster, or that of a workspace. */
function concernedByNamespace({ metadata: { name } }: Namespace, cache: CacheAccess): string[] {
  return [
    ...bindingsWith(roleIndexes.namespace, name, cache),
    ...(cache(Cluster).has(name) ? bindingsWith(roleIndexes.clusters, "true", cache) : []),
    ...(cache(FleetWorkspace).has(name) ? bindingsWith(roleIndexes.fleet, "true", cache) : []),
  ];
}

/** Bindings of the GlobalRoles that an index finds. */
function bindingsWith(index: string, value: string, cache: CacheAccess): readonly string[] {
  return bindingsOf(cache(GlobalRole).keysByIndex(index, value), cache);
}

function bindingsOf(roles: readonly string[], cache: CacheAccess): readonly string[] {
  return roles.flatMap((role) => cache(GlobalRoleBinding).keysByIndex(bindingIndexes.role, role));
}

/** What bears the label without a reference to its owner: made by hand, or bereft of it. */
function labelled({ metadata }: KubeObject, cache: CacheAccess): Iterable<string> {
  const value = metadata.labels?.[labels.globalRoleBindingOwner];
  return value === undefined
    ? []
    : cache(GlobalRoleBinding).keysByIndex(bindingIndexes.ownerLabel, value);
}

function isLeaving({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Controllers of its cluster write the status of a ClusterRoleTemplateBinding often, and it says nothing to us. */
function allButStatus({ metadata }: KubeObject): unknown {
  const { generation, labels, annotations, ownerReferences, deletionTimestamp } = metadata;
  return [generation, labels, annotations, ownerReferences, deletionTimestamp];
}
