import {
  Cluster,
  ClusterRegistrationToken,
  ClusterRoleTemplateBinding,
  GlobalRole,
  Node,
  registrationTokenNames,
  systemAccountNames,
  User,
} from "@drover/crds";
import { globalRolesForNewUsers, isTrue, ownedForm, usersByPrincipal } from "@drover/platform";
import {
  type Controller,
  changed,
  type KubeObject,
  onCreate,
  onDelete,
  or,
  owned,
  readable,
  related,
  where,
} from "kopf-ts";
import { accountLabel, controllerName, nodesByCluster, provisioned } from "./names.ts";
import { reconcile } from "./reconcile.ts";

/** Gives every cluster the account that the server acts under in it, and the registration token of its agent. */
export const clusterAgents: Controller<Cluster> = {
  name: controllerName,
  watches: Cluster,
  when: changed((cluster) => [
    cluster.metadata.annotations,
    cluster.spec?.internal,
    isTrue(cluster, provisioned),
    cluster.status?.conditions?.filter(({ type }) => ownConditions.has(type)),
  ]),
  owns: [
    owned(ClusterRoleTemplateBinding, {
      ...ownedForm(accountLabel),
      when: changed(({ metadata: { generation, labels, deletionTimestamp } }) => [
        generation,
        labels,
        deletionTimestamp,
      ]),
    }),
  ],
  related: [
    related(ClusterRoleTemplateBinding, {
      when: changed(({ metadata }) => [metadata.labels?.[accountLabel], metadata.generation]),
      map: ({ metadata }) => [metadata.labels?.[accountLabel] ?? []].flat(),
    }),
    related(Node, {
      metadataOnly: true,
      indexes: { [nodesByCluster]: ({ metadata }: KubeObject) => [metadata.namespace ?? ""] },
      when: or(onCreate, onDelete),
      map: ({ metadata }) => [metadata.namespace ?? ""],
    }),
    related(User, {
      indexes: { [usersByPrincipal.name]: usersByPrincipal.of },
      when: changed(({ metadata, principalIds }) => [metadata.deletionTimestamp, principalIds]),
      map: ({ principalIds = [] }) => principalIds.flatMap(clusterOfPrincipal),
    }),
    related(ClusterRegistrationToken, {
      when: where(({ metadata }) => metadata.name === registrationTokenNames.systemToken),
      map: ({ metadata }) => [metadata.namespace ?? ""],
    }),
  ],
  reads: [
    readable(GlobalRole, { indexes: { [globalRolesForNewUsers.name]: globalRolesForNewUsers.of } }),
  ],
  reconcile,
};

const ownConditions: ReadonlySet<string> = new Set(["SystemAccountCreated", "AgentDeployed"]);

function clusterOfPrincipal(principal: string): readonly string[] {
  const prefix = systemAccountNames.principal("");
  return principal.startsWith(prefix) ? [principal.slice(prefix.length)] : [];
}
