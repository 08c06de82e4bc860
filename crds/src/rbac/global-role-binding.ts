import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";
import type { BindingStatus } from "./binding-status.ts";

/** Gives a user or a group (never both) a GlobalRole. */
export interface GlobalRoleBinding extends KubeObject {
  readonly userName?: string;
  readonly userPrincipalName?: string;
  readonly groupPrincipalName?: string;
  readonly globalRoleName: string;
  readonly status?: BindingStatus;
}

export const GlobalRoleBinding: Kind<GlobalRoleBinding> = managementKind(
  "GlobalRoleBinding",
  "globalrolebindings",
  "Cluster",
);
