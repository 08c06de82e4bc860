/** The ClusterRole of an external template, which is somebody else's: a label lets aggregators select it, an annotation says that we set the label. */

import { RoleTemplate, roleTemplateLabels, roleTemplateNames } from "@drover/crds";
import type { Context } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { aggregatedFor } from "./names.ts";

const { aggregates } = roleTemplateLabels;

/** Labels the ClusterRole while the template is external, and takes the label back afterwards. A ClusterRole that is not there is nothing to worry about. */
export async function labelExternal(
  name: string,
  template: RoleTemplate | undefined,
  context: Context,
): Promise<void> {
  const role = context.cache(ClusterRole).get(name);
  if (role === undefined || role.metadata.deletionTimestamp !== undefined) return;
  const { uid, labels, annotations } = role.metadata;
  const own = { label: roleTemplateNames.clusterRole(name), mark: `${context.cluster}/${name}` };
  if (template?.external === true) {
    if (labels?.[aggregates] === own.label) return; // a Rancher's label has no annotation, and stays
    const merge = {
      labels: { [aggregates]: own.label },
      annotations: { [aggregatedFor]: own.mark },
    };
    await context.client.patch(role, { merge: { metadata: { uid, ...merge } } });
    return;
  }
  if (annotations?.[aggregatedFor] !== own.mark || (await isThere(name, template, context))) return;
  const merge = { labels: { [aggregates]: null }, annotations: { [aggregatedFor]: null } };
  await context.client.patch(role, { merge: { metadata: { uid, ...merge } } });
}

/** Which template a ClusterRole was labelled for, in this cluster. */
export function labelledFor({ metadata }: ClusterRole, cluster: string): string | undefined {
  const mark = metadata.annotations?.[aggregatedFor];
  return mark === `${cluster}/${metadata.name}` ? metadata.name : undefined;
}

/** A cache that does not know a template is not believed. */
async function isThere(
  name: string,
  template: RoleTemplate | undefined,
  { hub }: Context,
): Promise<boolean> {
  return template === undefined && (await hub.client.find(RoleTemplate, name)) !== undefined;
}
