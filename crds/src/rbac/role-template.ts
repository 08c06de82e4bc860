import type { Kind, KubeObject } from "kopf-ts";
import type { PolicyRule } from "kopf-ts/kinds";
import { managementKind } from "../management.ts";

/** A set of rules that bindings grant in a cluster or a project. */
export interface RoleTemplate extends KubeObject {
  readonly displayName?: string;
  readonly description?: string;
  /** Where it can be bound; empty for nowhere. */
  readonly context?: "project" | "cluster" | "";
  readonly rules?: readonly PolicyRule[];
  /** Templates whose rules it allows as well. */
  readonly roleTemplateNames?: readonly string[];
  /** Takes its rules from the ClusterRole of the same name. */
  readonly external?: boolean;
  readonly externalRules?: readonly PolicyRule[];
  readonly builtin?: boolean;
  readonly hidden?: boolean;
  readonly locked?: boolean;
  readonly clusterCreatorDefault?: boolean;
  readonly projectCreatorDefault?: boolean;
  /** @deprecated Access to legacy catalogs. */
  readonly administrative?: boolean;
}

export const RoleTemplate: Kind<RoleTemplate> = managementKind(
  "RoleTemplate",
  "roletemplates",
  "Cluster",
);
