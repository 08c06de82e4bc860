/** The ProjectNetworkPolicy by which a project is marked as kept apart, on the management cluster. */

import {
  backingNamespaceOf,
  Cluster,
  idOfProject,
  type Project,
  ProjectNetworkPolicy,
} from "@drover/crds";
import {
  type Context,
  done,
  isAlreadyExists,
  isNotFound,
  patchStatus,
  type Result,
  refTo,
  requeueAfter,
  setNormanCondition,
} from "kopf-ts";
import { policyCreated, projectPolicyName } from "./names.ts";

/** Until the projects' concern has made the namespace. */
const soon = 1_000;

/** Makes the project's policy be there, or be gone, and tells in the project's conditions that it is there. */
export async function mark(project: Project, context: Context): Promise<Result> {
  const { hub, cluster } = context;
  const isOn = hub.cache(Cluster).get(cluster)?.spec?.enableNetworkPolicy === true;
  const [name, namespace] = [projectPolicyName(project.metadata.name), backingNamespaceOf(project)];
  const live = hub.cache(ProjectNetworkPolicy).get(`${namespace}/${name}`);
  if (!isOn) {
    if (live !== undefined) await hub.client.delete(live);
    return done;
  }
  if (live === undefined && !(await create(project, name, namespace, context)))
    return requeueAfter(soon);
  await tellCreated(project, context);
  return done;
}

/** Answers false while there is no namespace for it. */
async function create(
  project: Project,
  name: string,
  namespace: string,
  { hub }: Context,
): Promise<boolean> {
  const description = `Default network policy for project ${project.metadata.name}`;
  const spec = { projectName: idOfProject(project), description };
  try {
    await hub.client.create<ProjectNetworkPolicy>({
      ...refTo(ProjectNetworkPolicy, name, namespace),
      spec,
    });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return true;
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Others write conditions of a Project as well, so a conflict is tried again. */
async function tellCreated(project: Project, { hub, clock }: Context): Promise<void> {
  const told = { type: policyCreated, status: "True" } as const;
  const conditions = setNormanCondition(project.status?.conditions, told, clock);
  await patchStatus(hub.client, project, { ...project.status, conditions }, { subresource: false });
}
