/** What Rancher's legacy model made for a RoleTemplate in a cluster (rancher: pkg/controllers/managementuser/rbac/handler_base.go, prtb_handler.go). Pure. */

import { promotedRules, roleTemplateLabels, roleTemplateNames } from "@drover/crds";
import type { KubeObject } from "kopf-ts";
import type { ClusterRole } from "kopf-ts/kinds";

/**
 * Whether a ClusterRole was made for the template: the one of its name says so in an annotation. That of its promoted rules says nothing at all, and is known by
 * being bare and about nothing but single promoted resources.
 */
export function isLegacyRoleOf(template: string): (live: KubeObject) => boolean {
  return (live) => {
    const { name, annotations } = live.metadata;
    if (annotations?.[roleTemplateLabels.clusterRoleOwner] === template) return true;
    return name === roleTemplateNames.promoted(template) && isBare(live) && isPromoted(live);
  };
}

function isBare({ metadata: { labels, annotations, ownerReferences } }: KubeObject): boolean {
  return [labels, annotations, ownerReferences].every((marks) => isEmpty(marks ?? {}));
}

function isPromoted({ rules, aggregationRule }: Partial<ClusterRole>): boolean {
  if (isEmpty(rules ?? []) || aggregationRule !== undefined) return false;
  return (rules ?? []).every(
    (rule) =>
      rule.resources?.length === 1 &&
      rule.resources[0] !== "*" &&
      promotedRules([rule]).length === 1,
  );
}

function isEmpty(marks: object): boolean {
  return Object.keys(marks).length === 0;
}
