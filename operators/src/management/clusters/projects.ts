/** The two projects that every cluster begins with, one of each. */

import { type Cluster, Project, type RoleTemplate } from "@drover/crds";
import { isTrue } from "@drover/platform";
import { type Context, isAlreadyExists } from "kopf-ts";
import { creatorTemplates, type DefaultProject, newProject } from "./desired.ts";
import { indexes, reasons } from "./names.ts";
import { holds, type Step, waits } from "./step.ts";

/** All role templates, as the server has them: looked up once, and only where somebody asks. */
export type Templates = () => Promise<readonly RoleTemplate[]>;

/**
 * Makes a default project unless there is one. What the cache does not show is looked up; and since the name follows from the cluster, two who look at once make
 * one. The Default project is made once: whoever deletes it, wants it gone.
 */
export async function keepProject(
  wanted: DefaultProject,
  cluster: Cluster,
  templates: Templates,
  context: Context,
): Promise<Step> {
  const { condition, label, lasting } = wanted;
  const { name } = cluster.metadata;
  const key = defaultProjectKey(name, label);
  if (context.cache(Project).keysByIndex(indexes.defaultProjects, key).length > 0) {
    return holds(condition);
  }
  if (isTrue(cluster, condition) && !lasting) return holds(condition);

  const { items } = await context.client.list(Project, {
    namespace: name,
    labelSelector: `${label}=true`,
  });
  const [found] = items;
  if (found === undefined) return make(wanted, cluster, templates, context);
  return found.metadata.deletionTimestamp === undefined ? holds(condition) : isLeaving(wanted);
}

async function make(
  wanted: DefaultProject,
  cluster: Cluster,
  templates: Templates,
  { client, log }: Context,
): Promise<Step> {
  const required = creatorTemplates(await templates(), "projectCreatorDefault");
  const project = newProject(wanted, cluster, required);
  try {
    await client.create(project);
    log.info("made a default project", { project: project.metadata.name });
    return holds(wanted.condition);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return takeBack(wanted, project, { client });
  }
}

/** Nothing but ours has the name, so it lost its label. */
async function takeBack(
  wanted: DefaultProject,
  { metadata: { name, namespace } }: Project,
  { client }: Pick<Context, "client">,
): Promise<Step> {
  const live = await client.find(Project, name, { namespace });
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return isLeaving(wanted);
  const { uid } = live.metadata;
  await client.patch(live, { merge: { metadata: { uid, labels: { [wanted.label]: "true" } } } });
  return holds(wanted.condition);
}

/** The end of the deletion runs the cluster again. */
function isLeaving({ condition, displayName }: DefaultProject): Step {
  const message = `waiting until project ${displayName}, which is being deleted, is gone`;
  return waits(condition, { reason: reasons.terminating, message });
}

/** Under what the index shows a default project. */
export function defaultProjectKey(namespace: string, label: string): string {
  return `${namespace}/${label}`;
}
