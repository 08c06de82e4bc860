import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";
import type { BindingStatus } from "./binding-status.ts";

/** Gives a user or a group (never both) a RoleTemplate in the cluster named like its namespace. */
export interface ClusterRoleTemplateBinding extends KubeObject {
  readonly userName?: string;
  readonly userPrincipalName?: string;
  readonly groupName?: string;
  readonly groupPrincipalName?: string;
  readonly clusterName: string;
  readonly roleTemplateName: string;
  readonly status?: BindingStatus;
}

export const ClusterRoleTemplateBinding: Kind<ClusterRoleTemplateBinding> = managementKind(
  "ClusterRoleTemplateBinding",
  "clusterroletemplatebindings",
  "Namespaced",
);
