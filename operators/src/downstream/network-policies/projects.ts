/** The ProjectNetworkPolicy by which a project is marked as kept apart, on the management cluster. */

import { isDeepStrictEqual } from "node:util";
import {
  backingNamespaceOf,
  Cluster,
  idOfProject,
  type Project,
  ProjectNetworkPolicy,
} from "@drover/crds";
import {
  ApplyError,
  applySet,
  type Client,
  type Context,
  claimOf,
  done,
  isNotFound,
  keyOf,
  marksOf,
  patchStatus,
  type Result,
  refTo,
  requeueAfter,
  setLabel,
  setNormanCondition,
} from "kopf-ts";
import { policyCreated, projectPolicyName, reasons } from "./names.ts";

/** Until the projects' concern has made the namespace. */
const soon = 1_000;

/** Makes the project's policy be there, or be gone, and tells in the project's conditions that it is there. */
export async function mark(project: Project, context: Context): Promise<Result> {
  const { hub, cluster } = context;
  const isOn = hub.cache(Cluster).get(cluster)?.spec?.enableNetworkPolicy === true;
  const wanted = policyOf(project);
  const live = hub.cache(ProjectNetworkPolicy).get(keyOf(wanted));
  const isTheirs = live !== undefined && !isOurs(live, wanted, project, hub.client);
  if (!isOn) {
    if (live !== undefined && !isTheirs) await remove(live, context);
    return done;
  }
  if (isTheirs) {
    const message = `ProjectNetworkPolicy ${keyOf(live)} was made by somebody else and stays: rename or delete it`;
    context.events.warning(reasons.nameTaken, message);
    return done;
  }
  if (!(await apply(project, wanted, context))) return requeueAfter(soon);
  await tellCreated(project, context);
  return done;
}

function policyOf(project: Project): ProjectNetworkPolicy {
  const { name } = project.metadata;
  const description = `Default network policy for project ${name}`;
  return {
    ...refTo(ProjectNetworkPolicy, projectPolicyName(name), backingNamespaceOf(project)),
    spec: { projectName: idOfProject(project), description },
  };
}

/** Whether it bears our marks, also when somebody took its labels away, or says what a Rancher's says, which has none. */
function isOurs(
  live: ProjectNetworkPolicy,
  wanted: ProjectNetworkPolicy,
  owner: Project,
  { fieldManager = "", sets }: Client,
): boolean {
  const { hash } = marksOf({ id: fieldManager, owner, scope: sets?.scope });
  const labels = { ...live.metadata.labels, [setLabel]: hash };
  const claim = claimOf(live) ?? claimOf({ ...live, metadata: { ...live.metadata, labels } });
  return claim === undefined ? isDeepStrictEqual(live.spec, wanted.spec) : claim === hash;
}

/** The server has the last word about whether the cluster asks for it no more; where that is gone, its projects' namespaces go, too. */
async function remove(
  policy: ProjectNetworkPolicy,
  { hub, cluster: name }: Context,
): Promise<void> {
  const cluster = await hub.client.find(Cluster, name);
  if (cluster === undefined || cluster.spec?.enableNetworkPolicy === true) return;
  await hub.client.delete(policy);
}

/** Answers false while there is no namespace for it. */
async function apply(
  owner: Project,
  policy: ProjectNetworkPolicy,
  { hub, signal }: Context,
): Promise<boolean> {
  const caches = () => hub.cache(ProjectNetworkPolicy);
  const options = { owner, prune: [ProjectNetworkPolicy], caches, signal };
  try {
    await applySet(hub.client, [policy], options);
    return true;
  } catch (error) {
    if (error instanceof ApplyError && error.errors.every(isNotFound)) return false;
    throw error;
  }
}

/** Others write conditions of a Project as well, so a conflict is tried again. */
async function tellCreated(project: Project, { hub, clock }: Context): Promise<void> {
  const told = { type: policyCreated, status: "True" } as const;
  const conditions = setNormanCondition(project.status?.conditions, told, clock);
  await patchStatus(hub.client, project, { ...project.status, conditions }, { subresource: false });
}
