/** Which role templates grant something else when one of them, or a ClusterRole, changes. */

import { inheritorsOf, RoleTemplate, roleTemplateLabels, roleTemplateNames } from "@drover/crds";
import type { CacheAccess } from "kopf-ts";
import type { ClusterRole } from "kopf-ts/kinds";

/** Finds templates by each that they inherit. */
export const inheritsIndex: {
  readonly name: string;
  readonly of: (template: RoleTemplate) => readonly string[];
} = {
  name: "template-bindings.inherits",
  of: ({ roleTemplateNames: names = [] }) => names,
};

/** All templates that inherit one, directly or not. Needs RoleTemplate with `inheritsIndex`. */
export function inheritingTemplates(name: string, cache: CacheAccess): readonly string[] {
  return inheritorsOf(name, (each) => cache(RoleTemplate).keysByIndex(inheritsIndex.name, each));
}

/** The template and all that inherit it, as labels of their roles name them. Needs RoleTemplate with `inheritsIndex`. */
export function affectedTemplates(name: string, cache: CacheAccess): readonly string[] {
  return [...new Set([name, ...inheritingTemplates(name, cache)])].map(
    roleTemplateNames.ownerLabel,
  );
}

/** The template that a ClusterRole was made for; and of an external one's rules, that template and all that inherit it. */
export function templatesOf({ metadata }: ClusterRole, cache: CacheAccess): readonly string[] {
  const owner = metadata.labels?.[roleTemplateLabels.clusterRoleOwner];
  const isExternal = cache(RoleTemplate).get(metadata.name)?.external === true;
  return [
    ...(owner === undefined ? [] : [owner]),
    ...(isExternal ? affectedTemplates(metadata.name, cache) : []),
  ];
}
