/** What a binding refers to, as the caches show it; and as the server does where something would be taken away because it is missing. */

import {
  backingNamespaceOf,
  Cluster,
  type ClusterRoleTemplateBinding,
  Project,
  RoleTemplate,
  roleTemplateNames,
} from "@drover/crds";
import { confirmed, isOpenIn, type Lookup, type Obstacle, roleOf } from "@drover/platform";
import { type CacheAccess, type Kind, resourceName } from "kopf-ts";
import type { Surroundings } from "./desired.ts";
import { projectIndexes, reasons } from "./names.ts";

/** The template of a binding, or why it grants nothing. */
export type Referred =
  | { readonly template: RoleTemplate; readonly obstacle?: undefined }
  | { readonly template?: undefined; readonly obstacle: Obstacle };

/** Looks up what the binding refers to. Throws a TemporaryError where the cache lacks what the server has. */
export async function referredBy(
  { metadata, clusterName, roleTemplateName }: ClusterRoleTemplateBinding,
  context: Lookup,
): Promise<Referred> {
  if (clusterName !== metadata.namespace) {
    const message = `nothing is granted: the binding names cluster "${clusterName}" and is in namespace "${metadata.namespace}"`;
    return { obstacle: { reason: reasons.misplaced, message } };
  }
  const cluster = await confirmed(Cluster, { name: clusterName }, context);
  if (cluster === undefined) return missing(Cluster, clusterName, reasons.noCluster);
  const template = await confirmed(RoleTemplate, { name: roleTemplateName }, context);
  if (template === undefined) return missing(RoleTemplate, roleTemplateName, reasons.noTemplate);
  return { template };
}

function missing(kind: Kind, name: string, reason: string): Referred {
  const message = `nothing is granted: ${resourceName(kind)} "${name}" not found`;
  return { obstacle: { reason, message } };
}

/** What the management plane has for a template and a cluster. */
export function surroundingsOf(
  template: RoleTemplate,
  cluster: string,
  cache: CacheAccess,
): Surroundings {
  const { clusterManagementAggregator, projectManagementAggregator } = roleTemplateNames;
  const managesProjects = roleOf(template, projectManagementAggregator, cache) !== undefined;
  const projects = managesProjects ? cache(Project).byIndex(projectIndexes.cluster, cluster) : [];
  return {
    managesCluster: roleOf(template, clusterManagementAggregator, cache) !== undefined,
    managesProjects,
    projectNamespaces: [...new Set(projects.map(backingNamespaceOf))].filter(isOpenIn(cache)),
  };
}
