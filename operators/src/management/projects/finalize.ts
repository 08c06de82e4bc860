/** What goes with a project on the management cluster. */

import { idOfProject, Project, ProjectRoleTemplateBinding, projectNames, User } from "@drover/crds";
import { throwForRetry, usersByPrincipal } from "@drover/platform";
import { type Context, done, type KubeObject, type Result } from "kopf-ts";
import { letGoOfGone } from "./hold.ts";
import { bindingsByProject, projectIndexes } from "./names.ts";
import { removeNamespace } from "./namespace.ts";
import { settleRoles } from "./roles.ts";

/** Deletes at once. */
const breadth = 8;

/**
 * Takes away what the project gave: its members' bindings, the roles that these grant, its namespace, its system account. What is in the namespace goes
 * with it, which nobody waits for.
 */
export async function cleanUp(project: Project, context: Context): Promise<Result> {
  const bindings = context.cache(ProjectRoleTemplateBinding);
  await deleteAll(bindings.byIndex(bindingsByProject, idOfProject(project)), context);
  const problems = await settleRoles(project, [], context);
  await removeNamespace(project, context);
  await removeAccount(project, context);
  throwForRetry(problems);
  await letGoOfGone(project, context);
  return done;
}

async function deleteAll(objects: readonly KubeObject[], { client }: Context): Promise<void> {
  const queue = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await client.delete(next, { preconditions: "uid" });
    }
  };
  await Promise.all(Array.from({ length: Math.min(breadth, queue.length) }, worker));
}

/** An account does not tell the cluster, so it stays while another project has the name. */
async function removeAccount({ metadata: { name } }: Project, context: Context): Promise<void> {
  const { cache } = context;
  if (cache(Project).keysByIndex(projectIndexes.name, name).length > 1) return;
  const principal = projectNames.systemPrincipal(name);
  await deleteAll(cache(User).byIndex(usersByPrincipal.name, principal), context);
}
