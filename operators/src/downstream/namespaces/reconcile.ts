import {
  annotations,
  labels,
  Project,
  ProjectRoleTemplateBinding,
  parseProjectId,
  projectKeyOf,
  Setting,
} from "@drover/crds";
import { type Environment, liveSettings, namesIn } from "@drover/platform";
import { type Context, done, hasFinalizer, type Result, removeFinalizer } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, type Namespace, RoleBinding } from "kopf-ts/kinds";
import { keepAccount } from "./account.ts";
import { isComplete } from "./bindings.ts";
import { type Change, changeOf, isPopulated, projectIdFor, type Surroundings } from "./desired.ts";
import { type Initial, indexes, initialKey, marks, reasons } from "./names.ts";
import { followProject } from "./secrets.ts";
import { removeStrays } from "./strays.ts";

/** What a controller remembers: whom it has warned, so that it does so once. */
export interface Memory {
  readonly env: Environment;
  /** The unknown project that each namespace was last seen to name, by cluster and name. */
  readonly warned: Map<string, string>;
}

/** Makes a namespace say which project it is in, whether its roles are there, and what the system wants of it; takes away what other projects left in it. */
export async function reconcile(
  namespace: Namespace,
  context: Context,
  memory: Memory,
): Promise<Result> {
  if (hasFinalizer(namespace, marks.finalizer)) {
    await removeFinalizer(context.client, namespace, marks.finalizer);
    return done; // the change runs it again
  }
  if (namespace.metadata.deletionTimestamp !== undefined) return done;
  const around = surroundingsIn(context, memory.env);
  const projectId = projectIdFor(namespace, around);
  if (!(await isKnown(projectId, context)))
    return leave(namespace, projectId ?? "", context, memory);
  memory.warned.delete(memoryKey(context));

  await removeStrays(namespace, projectId, context);
  const populated = isPopulated(namespace) || isPopulatedNow(namespace, projectId, context);
  const wanted = { projectId, populated, now: context.clock.now() };
  const change = changeOf(namespace, wanted, around);
  if (change !== undefined) await carryOut(change, namespace, projectId, context);
  await keepAccount(namespace, change, context);
  return done;
}

/** The namespace is gone; so is what there is to remember of it. */
export async function forget(_key: string, context: Context, memory: Memory): Promise<Result> {
  memory.warned.delete(memoryKey(context));
  return done;
}

function surroundingsIn({ hub, cluster }: Context, env: Environment): Surroundings {
  const initial = (which: Initial): string | undefined => {
    const found = hub.cache(Project).byIndex(indexes.initial, initialKey(cluster, which));
    const [project, other] = found.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    return other === undefined ? project?.metadata.name : undefined;
  };
  return {
    cluster,
    systemNamespaces: namesIn(liveSettings(hub.cache(Setting), env).text("system-namespaces")),
    defaultProject: initial("default"),
    systemProject: initial("system"),
  };
}

/** Whether the project is one of this cluster, as is none at all. The cache may not show yet what was made a moment ago. */
async function isKnown(projectId: string | undefined, { hub, cluster }: Context): Promise<boolean> {
  if (!projectId) return true;
  const id = parseProjectId(projectId);
  if (id === undefined || id.cluster !== cluster) return false;
  if (hub.cache(Project).has(projectKeyOf(id))) return true;
  return (await hub.client.find(Project, id.project, { namespace: cluster })) !== undefined;
}

/** Nobody can tell what the namespace should be like: perhaps another server looks after it. */
function leave(
  { metadata }: Namespace,
  projectId: string,
  context: Context,
  { warned }: Memory,
): Result {
  const key = memoryKey(context);
  if (warned.get(key) === projectId) return done;
  warned.set(key, projectId);
  const message = `annotation ${annotations.projectId} names ${projectId}, which is no project of cluster ${context.cluster}`;
  context.log.warn("left a namespace of an unknown project alone", { projectId });
  context.events.warning(
    reasons.unknownProject,
    `${message}: namespace ${metadata.name} is left as it is`,
  );
  return done;
}

function memoryKey({ cluster, key }: Context): string {
  return `${cluster}/${key}`;
}

function isPopulatedNow(
  { metadata: { name, annotations: said } }: Namespace,
  projectId: string | undefined,
  { cache, hub }: Context,
): boolean {
  if (!projectId) return true;
  return isComplete({
    roles: cache(ClusterRole).keysByIndex(indexes.named, name),
    bindings: hub.cache(ProjectRoleTemplateBinding).byIndex(indexes.bindings, projectId),
    roleBindings: cache(RoleBinding).keysByIndex(indexes.owned, name).length,
    creator: said?.[annotations.creatorId],
    isGranted: (grant) => cache(ClusterRoleBinding).keysByIndex(indexes.grant, grant).length > 0,
  });
}

/** Others write the same annotations: the resourceVersion keeps what they said. Secrets come first, for the label tells that they were changed. */
async function carryOut(
  change: Change,
  namespace: Namespace,
  projectId: string | undefined,
  context: Context,
): Promise<void> {
  const { name, resourceVersion } = namespace.metadata;
  if (labels.projectId in change.labels) await followProject(name, projectId, context);
  const merge = { metadata: { resourceVersion, ...change } };
  await context.client.patch(namespace, { merge });
}
