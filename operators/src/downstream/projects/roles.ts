/** The ClusterRoles about a project's namespaces. */

import { type Project, projectNames, projectOwnerKey } from "@drover/crds";
import { type Problem, settle } from "@drover/platform";
import type { Context } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { isRanchers, ownerLabel } from "./desired.ts";
import { rolesSet } from "./names.ts";

/** Makes the project's ClusterRoles be these; answers what went wrong. */
export async function settleRoles(
  project: Project,
  objects: readonly ClusterRole[],
  context: Context,
): Promise<readonly Problem[]> {
  const label = { key: projectOwnerKey, value: ownerLabel(project) };
  const part = { id: rolesSet, kinds: [ClusterRole], objects };
  const [problems = []] = await settle([part], { owner: project, label }, context);
  return problems;
}

/**
 * Labels what a Rancher made for the project, so that it counts as the project's from the next run on. Answers whether there was anything: then the caches
 * have yet to show it.
 */
export async function takeOver(
  { metadata }: Project,
  { client, cache }: Context,
): Promise<boolean> {
  const { name } = metadata;
  const names = [projectNames.namespacesReadonly(name), projectNames.namespacesEdit(name)];
  const roles = names.flatMap((role) => cache(ClusterRole).get(role) ?? []).filter(isRanchers);
  for (const role of roles) {
    const { resourceVersion } = role.metadata;
    const labels = { [projectOwnerKey]: ownerLabel({ metadata }) };
    await client.patch(role, { merge: { metadata: { resourceVersion, labels } } });
  }
  return roles.length > 0;
}
