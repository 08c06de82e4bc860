/**
 * Which ClusterRoles of a cluster a RoleTemplate brings along (rancher:
 * pkg/controllers/managementuser/rbac/roletemplates/roletemplate_handler.go). Pure.
 */

import {
  type FindTemplate,
  inheritanceOf,
  type PolicyRule,
  promotedRules,
  type RoleTemplate,
  reaches,
  roleTemplateLabels,
  roleTemplateNames,
  ruleFaults,
  storedRules,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";

/** The roles, and what keeps them from being all that the template asks for. */
export interface Desired {
  readonly roles: readonly ClusterRole[];
  /** What is wrong with the rules; then the roles that have them stay as they are. */
  readonly faults: readonly string[];
  readonly missing: readonly string[];
  readonly circular: readonly string[];
}

/**
 * The template's own rules, unless they are those of somebody else's ClusterRole, and an aggregator of these with all inherited ones. For projects the same
 * again with the rules that count outside of namespaces, where there are any. What closes a circle is left out.
 */
export function clusterRoles(template: RoleTemplate, find: FindTemplate): Desired {
  const { external = false, rules = [] } = template;
  const { followed, missing, circular } = inheritanceOf(template, find);
  const faults = external ? [] : ruleFaults(rules, "rules");
  const own = external ? [] : [roleOf(template, roleTemplateNames.clusterRole, rules)];
  const aggregator = aggregatorOf(template, followed, {
    own: roleTemplateNames.clusterRole,
    aggregator: roleTemplateNames.aggregator,
  });
  const roles = [...own, aggregator, ...promotedRoles(template, followed, find)];
  return { roles, faults, missing, circular };
}

function promotedRoles(
  template: RoleTemplate,
  followed: readonly string[],
  find: FindTemplate,
): readonly ClusterRole[] {
  if (!isOfProjects(template)) return [];
  const rules = promotedRules(template.rules ?? []);
  const inherited = followed.filter((each) => hasPromoted(each, find));
  if (rules.length + inherited.length === 0) return [];
  const aggregator = aggregatorOf(template, inherited, {
    own: roleTemplateNames.promoted,
    aggregator: roleTemplateNames.promotedAggregator,
  });
  return rules.length === 0
    ? [aggregator]
    : [roleOf(template, roleTemplateNames.promoted, rules), aggregator];
}

/** Whether a template has an aggregator of promoted rules: the way to such rules leads through templates of projects only. */
function hasPromoted(name: string, find: FindTemplate): boolean {
  const has = (_: string, template: RoleTemplate | undefined): boolean =>
    promotedRules(template?.rules ?? []).length > 0;
  return reaches(name, find, has, isOfProjects);
}

function isOfProjects({ context }: RoleTemplate): boolean {
  return context === "project";
}

const aClusterRole = { apiVersion: apiVersionOf(ClusterRole), kind: ClusterRole.kind } as const;

function roleOf(
  { metadata }: RoleTemplate,
  name: (template: string) => string,
  rules: readonly PolicyRule[],
): ClusterRole {
  const own = metadataOf(name(metadata.name), metadata.name);
  return { ...aClusterRole, metadata: own, rules: storedRules(rules) };
}

function aggregatorOf(
  { metadata }: RoleTemplate,
  inherited: readonly string[],
  { own, aggregator }: Record<"own" | "aggregator", (template: string) => string>,
): ClusterRole {
  const selected = [own(metadata.name), ...inherited.map(aggregator)];
  const clusterRoleSelectors = selected.map((name) => ({
    matchLabels: { [roleTemplateLabels.aggregates]: name },
  }));
  return {
    ...aClusterRole,
    metadata: metadataOf(aggregator(metadata.name), metadata.name),
    aggregationRule: { clusterRoleSelectors },
  };
}

function metadataOf(name: string, template: string): ClusterRole["metadata"] {
  const { aggregates, clusterRoleOwner, aggregation } = roleTemplateLabels;
  const labels = {
    [aggregates]: name,
    [clusterRoleOwner]: roleTemplateNames.ownerLabel(template),
    [aggregation]: "true",
  };
  return { name, labels };
}
