import type { Kind, KubeObject } from "kopf-ts";
import type { PolicyRule } from "kopf-ts/kinds";
import { type MetaCondition, managementKind } from "../management.ts";

/** Rules for the management cluster itself, with what they bring along in every managed cluster. */
export interface GlobalRole extends KubeObject {
  readonly displayName?: string;
  readonly description?: string;
  readonly rules?: readonly PolicyRule[];
  /** By namespace of the management cluster, taken literally. */
  readonly namespacedRules?: Readonly<Record<string, readonly PolicyRule[]>>;
  /** RoleTemplates granted in every cluster but the local one. */
  readonly inheritedClusterRoles?: readonly string[];
  /** By namespace of every cluster but the local one. */
  readonly inheritedNamespacedRules?: Readonly<Record<string, readonly PolicyRule[]>>;
  readonly inheritedFleetWorkspacePermissions?: {
    readonly resourceRules?: readonly PolicyRule[];
    readonly workspaceVerbs?: readonly string[];
  };
  readonly newUserDefault?: boolean;
  readonly builtin?: boolean;
  readonly status?: GlobalRoleStatus;
}

export const GlobalRole: Kind<GlobalRole> = managementKind("GlobalRole", "globalroles", "Cluster");

/** What the controller last saw and did. */
export interface GlobalRoleStatus {
  readonly observedGeneration?: number;
  /** RFC 3339. */
  readonly lastUpdateTime?: string;
  /** Completed, Error, InProgress or Terminating. */
  readonly summary?: string;
  readonly conditions?: readonly MetaCondition[];
}
