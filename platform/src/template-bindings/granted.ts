/** What a role template grants in the cluster that is looked at. */

import {
  flatten,
  type PolicyRule,
  RoleTemplate,
  roleTemplateLabels,
  roleTemplateNames,
} from "@drover/crds";
import { type CacheAccess, messageOf } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";

/** Rules, and why they may not be all. */
export interface Granted {
  readonly rules: readonly PolicyRule[];
  readonly problem?: string;
}

/**
 * The aggregated rules of a template, which count, for people are bound to the aggregator; until the controller manager has filled them in, those that it will
 * fill in as far as templates tell. Needs ClusterRole and RoleTemplate.
 */
export function grantedRules(template: RoleTemplate, cache: CacheAccess): Granted {
  const aggregated = roleOf(template, roleTemplateNames.aggregator, cache)?.rules ?? [];
  if (aggregated.length > 0) return { rules: aggregated };
  const sources = {
    roleTemplate: (name: string) => cache(RoleTemplate).get(name),
    clusterRole: (name: string) => cache(ClusterRole).get(name)?.rules ?? undefined,
  };
  try {
    return { rules: flatten(template, sources) };
  } catch (error) {
    return { rules: template.rules ?? [], problem: messageOf(error) };
  }
}

/** A ClusterRole of the template; one of that name that does not bear its label is somebody else's. */
export function roleOf(
  { metadata }: RoleTemplate,
  name: (template: string) => string,
  cache: CacheAccess,
): ClusterRole | undefined {
  const role = cache(ClusterRole).get(name(metadata.name));
  const owner = role?.metadata.labels?.[roleTemplateLabels.clusterRoleOwner];
  return owner === roleTemplateNames.ownerLabel(metadata.name) ? role : undefined;
}
