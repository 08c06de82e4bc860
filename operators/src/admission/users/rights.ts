/** Whether somebody has the rights of the user whom they change. */

import {
  ClusterRoleTemplateBinding,
  type PolicyRule,
  ProjectRoleTemplateBinding,
} from "@drover/crds";
import {
  accessReads,
  accessSources,
  type Caller,
  missingText,
  type Rights,
  rightsOf,
  uncovered,
} from "@drover/platform";
import { type CacheAccess, type Readable, readable } from "kopf-ts";
import type { AdmissionContext } from "kopf-ts/admission";
import type { Problem } from "../verdicts.ts";

/** Index of bindings by whom they name, wherever they are. */
const subjectIndex = "admission/subject";

/** What to declare as `reads`. */
export const rightsReads: readonly Readable[] = [
  ...accessReads,
  readable(ClusterRoleTemplateBinding, { indexes: { [subjectIndex]: subjectOf } }),
  readable(ProjectRoleTemplateBinding, { indexes: { [subjectIndex]: subjectOf } }),
];

type Binding = ClusterRoleTemplateBinding | ProjectRoleTemplateBinding;

function subjectOf({ userName, groupName, groupPrincipalName }: Binding): readonly string[] {
  if (userName) return [`user:${userName}`];
  const group = groupName || groupPrincipalName;
  return group ? [`group:${group}`] : [];
}

/** Where rights are compared. */
interface Place {
  /** For people. */
  readonly where: string;
  readonly held: (rights: Rights) => readonly PolicyRule[];
}

const global: readonly Place[] = [
  { where: "in the whole local cluster", held: (rights) => rights.everywhere() },
  { where: "in every managed cluster", held: (rights) => rights.inManagedClusters() },
  { where: "in every fleet workspace", held: (rights) => rights.inWorkspaces() },
  { where: "on every fleet workspace", held: (rights) => rights.onWorkspaces() },
];

/**
 * What `user` may do and `caller` may not, as a sentence; undefined if that is nothing. Upstream compares what holds in the whole local cluster; here what global roles
 * bring along elsewhere counts too, and so does each cluster and project whose member the user is. RoleBindings that people made by hand do not. Lets others have the
 * process between two places: there may be thousands. Rejects with the signal's reason, and with RulesTooLargeError.
 */
export async function rightsProblem(
  caller: Caller,
  user: Caller,
  { cache, signal }: Pick<AdmissionContext, "cache" | "signal">,
): Promise<Problem> {
  const sources = accessSources(cache);
  const theirs = rightsOf(user, sources);
  const ours = rightsOf(caller, sources);
  for (const { where, held } of [...global, ...memberships(user, cache)]) {
    const missing = await uncovered(held(ours), held(theirs), signal);
    if (missing.length > 0) {
      return `user ${user.username} has more rights than you ${where}: ${missingText(missing)}`;
    }
    await new Promise(setImmediate);
    signal.throwIfAborted();
  }
  return undefined;
}

/** The clusters and projects whose member somebody is, each once. */
function memberships({ username, groups }: Caller, cache: CacheAccess): readonly Place[] {
  const keys = [`user:${username}`, ...groups.map((group) => `group:${group}`)];
  const clusters = keys
    .flatMap((key) => cache(ClusterRoleTemplateBinding).byIndex(subjectIndex, key))
    .map(({ clusterName }) => clusterName);
  const projects = keys
    .flatMap((key) => cache(ProjectRoleTemplateBinding).byIndex(subjectIndex, key))
    .map(({ projectName, metadata }) => [projectName, metadata.namespace ?? ""] as const);
  return [...[...new Set(clusters)].map(inCluster), ...[...new Map(projects)].map(inProject)];
}

function inCluster(cluster: string): Place {
  return { where: `in cluster ${cluster}`, held: (rights) => rights.inCluster(cluster) };
}

function inProject([project, namespace]: readonly [string, string]): Place {
  return {
    where: `in project ${project}`,
    held: (rights) => rights.inProject(project, namespace),
  };
}
