/**
 * Which ClusterRoles of the management cluster a RoleTemplate brings along: what its holders may do with the objects of their cluster and
 * their projects there (rancher: pkg/controllers/management/auth/roletemplates/roletemplate_handler.go). Pure.
 */

import {
  type FindTemplate,
  inheritanceOf,
  type ManagementPlane,
  managementRules,
  type PolicyRule,
  type RoleTemplate,
  reaches,
  roleTemplateLabels,
  roleTemplateNames,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";

/** Where a template finds what it refers to. */
export interface Sources {
  readonly roleTemplate: FindTemplate;
  /** Rules of the ClusterRole of this name. */
  readonly clusterRole: (name: string) => readonly PolicyRule[] | undefined;
}

/** Names of the two roles of a plane. */
interface PlaneNames {
  readonly own: (template: string) => string;
  readonly aggregator: (template: string) => string;
}

const planes: Readonly<Record<ManagementPlane, PlaneNames>> = {
  cluster: {
    own: roleTemplateNames.clusterManagement,
    aggregator: roleTemplateNames.clusterManagementAggregator,
  },
  project: {
    own: roleTemplateNames.projectManagement,
    aggregator: roleTemplateNames.projectManagementAggregator,
  },
};

/**
 * For each plane the template's own rules, where it has some, and what aggregates them with those of the templates that it inherits, where any of these
 * has some. What closes a circle is left out: of rules that flow in a circle none could ever be taken back.
 */
export function managementRoles(template: RoleTemplate, sources: Sources): readonly ClusterRole[] {
  const { followed } = inheritanceOf(template, sources.roleTemplate);
  return (["cluster", "project"] as const).flatMap((plane) => {
    const rules = ownRules(template, plane, sources);
    const inherits = followed.some((each) => hasAggregator(each, plane, sources));
    if (!isOfPlane(template, plane) || (rules.length === 0 && !inherits)) return [];
    const aggregator = aggregatorOf(template, followed, planes[plane]);
    return rules.length === 0 ? [aggregator] : [roleOf(template, planes[plane], rules), aggregator];
  });
}

/** Whether a template has an aggregator of the plane: the way to rules leads through templates that have one. */
function hasAggregator(name: string, plane: ManagementPlane, sources: Sources): boolean {
  const has = (_: string, template: RoleTemplate | undefined): boolean =>
    template !== undefined && ownRules(template, plane, sources).length > 0;
  return reaches(name, sources.roleTemplate, has, (template) => isOfPlane(template, plane));
}

function isOfPlane({ context }: RoleTemplate, plane: ManagementPlane): boolean {
  return plane === "project" || context === "cluster";
}

function ownRules(
  template: RoleTemplate,
  plane: ManagementPlane,
  { clusterRole }: Sources,
): readonly PolicyRule[] {
  if (!isOfPlane(template, plane)) return [];
  const { external = false, externalRules, rules = [] } = template;
  const backing = external ? (externalRules ?? clusterRole(template.metadata.name) ?? []) : [];
  return managementRules([...backing, ...rules], plane);
}

function roleOf(
  { metadata }: RoleTemplate,
  { own }: PlaneNames,
  rules: readonly PolicyRule[],
): ClusterRole {
  return { ...aClusterRole, metadata: metadataOf(own(metadata.name), metadata.name), rules };
}

function aggregatorOf(
  { metadata }: RoleTemplate,
  inherited: readonly string[],
  { own, aggregator }: PlaneNames,
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

const aClusterRole = { apiVersion: apiVersionOf(ClusterRole), kind: ClusterRole.kind } as const;

function metadataOf(name: string, template: string): ClusterRole["metadata"] {
  const { aggregates, clusterRoleOwner, managementAggregation } = roleTemplateLabels;
  const labels = {
    [aggregates]: name,
    [clusterRoleOwner]: roleTemplateNames.ownerLabel(template),
    [managementAggregation]: "true",
  };
  return { name, labels };
}
