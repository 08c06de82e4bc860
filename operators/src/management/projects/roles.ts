/** The Roles by which members see a project. */

import { type Project, projectNames, projectOwnerKey } from "@drover/crds";
import { type Problem, settle } from "@drover/platform";
import type { Context } from "kopf-ts";
import { Role } from "kopf-ts/kinds";
import { setIds } from "./names.ts";

/** Makes the project's Roles be these; answers what went wrong. */
export async function settleRoles(
  project: Project,
  objects: readonly Role[],
  context: Context,
): Promise<readonly Problem[]> {
  const { name, namespace = "" } = project.metadata;
  const label = { key: projectOwnerKey, value: projectNames.ownerLabel(namespace, name) };
  const part = { id: setIds.roles, kinds: [Role], objects };
  const [problems = []] = await settle([part], { owner: project, label }, context);
  return problems;
}
