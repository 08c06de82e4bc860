/**
 * Which ClusterRoles of the management cluster a RoleTemplate brings along: what its holders may do with the objects of their cluster and
 * their projects there (rancher: pkg/controllers/management/auth/roletemplates/roletemplate_handler.go). Pure.
 */

import {
  type ManagementPlane,
  managementRules,
  type PolicyRule,
  type RoleTemplate,
  roleTemplateLabels,
  roleTemplateNames,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";

/** Where a template finds what it refers to. */
export interface Sources {
  readonly roleTemplate: (name: string) => RoleTemplate | undefined;
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
 * has some. A template that circles back to itself or refers to a missing one gets what there is.
 */
export function managementRoles(template: RoleTemplate, sources: Sources): readonly ClusterRole[] {
  return (["cluster", "project"] as const).flatMap((plane) => {
    if (!reaches(template, plane, sources)) return [];
    const rules = ownRules(template, plane, sources);
    const aggregator = aggregatorOf(template, planes[plane]);
    return rules.length === 0 ? [aggregator] : [roleOf(template, planes[plane], rules), aggregator];
  });
}

/** Names of the templates whose roles depend on this one: those that inherit it, directly or not. */
export function dependents(
  name: string,
  inheritors: (name: string) => readonly string[],
): string[] {
  const found = new Set<string>();
  const left = [name];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const more = inheritors(next).filter((each) => !found.has(each));
    for (const each of more) found.add(each);
    left.push(...more);
  }
  return [...found];
}

/** Whether the template has an aggregator of the plane: some template that leads to rules, each of which has one. */
function reaches(template: RoleTemplate, plane: ManagementPlane, sources: Sources): boolean {
  const seen = new Set<string>();
  const left = [template];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (seen.has(next.metadata.name) || !isOfPlane(next, plane)) continue;
    seen.add(next.metadata.name);
    if (ownRules(next, plane, sources).length > 0) return true;
    left.push(
      ...(next.roleTemplateNames ?? []).flatMap((each) => sources.roleTemplate(each) ?? []),
    );
  }
  return false;
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
  { metadata, roleTemplateNames: inherited = [] }: RoleTemplate,
  { own, aggregator }: PlaneNames,
): ClusterRole {
  const selected = [own(metadata.name), ...inherited.map(aggregator)];
  const clusterRoleSelectors = [...new Set(selected)].map((name) => ({
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
