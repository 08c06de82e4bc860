import { Cluster, FleetWorkspace, GlobalRole, globalRoleNames, labels } from "@drover/crds";
import { ownedForm } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type KubeObject,
  owned,
  related,
} from "kopf-ts";
import { ClusterRole, Namespace, Role } from "kopf-ts/kinds";
import { hasFleetPermissions } from "./desired.ts";
import { controllerName, indexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

const rolesForm = ownedForm(labels.globalRoleOwner);

/** Makes the roles of the management cluster that GlobalRoles stand for. */
export const globalRoles: Controller<GlobalRole> = {
  name: controllerName,
  watches: GlobalRole,
  terminating: true, // to let go of those that a legacy finalizer holds
  indexes: {
    [indexes.namespace]: ({ namespacedRules = {} }) => Object.keys(namespacedRules),
    [indexes.fleet]: (role) => (hasFleetPermissions(role) ? ["true"] : []),
    [indexes.inherited]: ({ inheritedNamespacedRules = {} }) =>
      Object.keys(inheritedNamespacedRules).length > 0 ? ["true"] : [],
    [indexes.ownerLabel]: ({ metadata }) => [globalRoleNames.ownerLabel(metadata.name)],
  },
  owns: [owned(ClusterRole, rolesForm), owned(Role, rolesForm)],
  related: [
    related(ClusterRole, { map: labelled }),
    related(Role, { map: labelled }),
    related(Namespace, {
      when: changed(isLeaving),
      map: ({ metadata }, cache) => cache(GlobalRole).keysByIndex(indexes.namespace, metadata.name),
    }),
    related(FleetWorkspace, {
      when: changed(isLeaving),
      map: (_, cache) => cache(GlobalRole).keysByIndex(indexes.fleet, "true"),
    }),
    related(Cluster, {
      metadataOnly: true,
      when: changed(isLeaving),
      map: (_, cache) => cache(GlobalRole).keysByIndex(indexes.inherited, "true"),
    }),
  ],
  reconcile,
  gone: forget,
};

/** What bears the label without a reference to its owner: made by hand, or bereft of it. */
function labelled({ metadata }: KubeObject, cache: CacheAccess): Iterable<string> {
  const value = metadata.labels?.[labels.globalRoleOwner];
  return value === undefined ? [] : cache(GlobalRole).keysByIndex(indexes.ownerLabel, value);
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
