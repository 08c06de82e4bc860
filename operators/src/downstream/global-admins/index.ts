import { Cluster, GlobalRole, GlobalRoleBinding } from "@drover/crds";
import { claimantsOf, claimIndex, isAdminRole } from "@drover/platform";
import { type CacheAccess, type Controller, changed, type Related, related } from "kopf-ts";
import { ClusterRoleBinding } from "kopf-ts/kinds";
import { controllerNames, indexes } from "./names.ts";
import { forget, reconcile, tellSynced } from "./reconcile.ts";

const byRole = { [indexes.role]: ({ globalRoleName }: GlobalRoleBinding) => [globalRoleName] };

/** Makes administrators cluster-admin in every cluster. */
export const globalAdmins: Controller<GlobalRoleBinding> = {
  name: controllerNames.admins,
  watches: GlobalRoleBinding,
  hub: true,
  when: () => false, // few bindings make administrators: `related` asks for those that do
  terminating: true, // while somebody's finalizer holds it, it grants nothing any more
  indexes: byRole,
  related: [
    bindingsOfAdmins((name) => [name]),
    related(GlobalRole, {
      hub: true,
      when: changed(({ metadata }) => [metadata.uid, metadata.generation]),
      map: (role, _, { hub }) =>
        isAdminRole(role)
          ? hub(GlobalRoleBinding).keysByIndex(indexes.role, role.metadata.name)
          : [],
    }),
    related(ClusterRoleBinding, {
      indexes: { [claimIndex.name]: claimIndex.of },
      map: (binding, _, { cluster }) => claimantsOf(binding, GlobalRoleBinding, cluster),
    }),
  ],
  reconcile,
  gone: forget,
};

/** Tells in each Cluster that administrators are so in it. */
export const globalAdminsSynced: Controller<Cluster> = {
  name: controllerNames.synced,
  watches: Cluster,
  hub: { clusters: ({ metadata }) => [metadata.name] },
  related: [
    bindingsOfAdmins((_, cluster) => [cluster]),
    related(GlobalRole, {
      hub: true,
      when: changed(({ metadata }) => [metadata.uid, metadata.generation]),
      map: (role, _, { cluster }) => (isAdminRole(role) ? [cluster] : []),
    }),
    related(ClusterRoleBinding, {
      map: (binding, _, { cluster }) =>
        claimantsOf(binding, GlobalRoleBinding, cluster).length > 0 ? [cluster] : [],
    }),
  ],
  reconcile: tellSynced,
};

/** A change of a binding whose role makes administrators. */
function bindingsOfAdmins(keys: (binding: string, cluster: string) => readonly string[]): Related {
  return related(GlobalRoleBinding, {
    hub: true,
    indexes: byRole,
    when: changed(({ metadata }) => [
      metadata.uid,
      metadata.generation,
      metadata.deletionTimestamp,
    ]),
    map: ({ metadata, globalRoleName }, _, { cluster, hub }) =>
      isOfAdmins(globalRoleName, hub) ? keys(metadata.name, cluster) : [],
  });
}

function isOfAdmins(name: string, hub: CacheAccess): boolean {
  const role = hub(GlobalRole).get(name);
  return role !== undefined && isAdminRole(role);
}
