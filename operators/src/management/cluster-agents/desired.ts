/** What the server needs to deploy and run the agent of a cluster. Pure. */

import {
  type Cluster,
  ClusterRegistrationToken,
  ClusterRoleTemplateBinding,
  registrationTokenNames,
  systemAccountNames,
  type User,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { accountLabel, accountRole } from "./names.ts";

/** Makes the account an owner of its cluster (rancher: pkg/systemaccount). */
export function accountBinding(
  { metadata: { name: cluster } }: Cluster,
  { metadata: { name: user } }: User,
): ClusterRoleTemplateBinding {
  return {
    apiVersion: apiVersionOf(ClusterRoleTemplateBinding),
    kind: ClusterRoleTemplateBinding.kind,
    metadata: {
      name: systemAccountNames.binding(user),
      namespace: cluster,
      labels: { [accountLabel]: cluster },
    },
    clusterName: cluster,
    userName: user,
    roleTemplateName: accountRole,
  };
}

/** Whether a stored binding must be deleted first: what it grants may never change. */
export function grantsOtherwise(
  live: ClusterRoleTemplateBinding,
  wanted: ClusterRoleTemplateBinding,
): boolean {
  const fields = ["clusterName", "userName", "roleTemplateName"] as const;
  const isOther = fields.some((field) => live[field] !== wanted[field]);
  return isOther || Boolean(live.groupName || live.groupPrincipalName);
}

/** The token that the agent registers with. */
export function systemToken(cluster: string): ClusterRegistrationToken {
  return {
    apiVersion: apiVersionOf(ClusterRegistrationToken),
    kind: ClusterRegistrationToken.kind,
    metadata: { name: registrationTokenNames.systemToken, namespace: cluster },
    spec: { clusterName: cluster },
  };
}
