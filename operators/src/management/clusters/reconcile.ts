import { type Cluster, Setting } from "@drover/crds";
import {
  type Environment,
  isTrue,
  liveSettings,
  namespaceMetadata,
  settle,
  tellConditions,
  throwForRetry,
} from "@drover/platform";
import { applySet, type Context, done, type Kind, type Result } from "kopf-ts";
import { ClusterRole, Namespace } from "kopf-ts/kinds";
import { bindCreator, type Enrolled, requireTemplates } from "./creator.ts";
import { defaultProjects, membershipClusterRoles } from "./desired.ts";
import { clusterLabel, clusterLabelValue, conditions, reasons } from "./names.ts";
import { desiredNamespace, isForCluster, nameProblem } from "./namespace.ts";
import { keepProject, type Templates } from "./projects.ts";
import { attempt, fails, failure, holds, isDone, type Step, waits } from "./step.ts";
import { allTemplates } from "./templates.ts";

/** What the concern is told when it is made. */
export interface ClusterSurroundings {
  /** It overrides settings, and may say what namespaces carry. */
  readonly env: Environment;
}

/** Makes what every cluster has, one step after the other: what comes later is in what came before. */
export async function reconcile(
  cluster: Cluster,
  context: Context,
  surroundings: ClusterSurroundings,
): Promise<Result> {
  const type = conditions.namespace;
  const work = () => keepNamespace(cluster, context, surroundings);
  const namespace = await attempt(type, work, context);
  const told = await tell(cluster, [namespace, ...lostWith(namespace)], context);
  const steps = isDone(namespace) ? await furnish(told, context) : [];
  throwForRetry([namespace, ...steps]);
  return done;
}

/** The Default project goes with a namespace that somebody deletes, which is no wish to be without one: it is made again in the next. */
function lostWith({ condition: { status, reason = "", message = "" } }: Step): readonly Step[] {
  const isGoing = status === "Unknown" && reason === reasons.terminating;
  return isGoing ? [waits(conditions.defaultProject, { reason, message })] : [];
}

/** Everything that is in the namespace, or about the Cluster itself. */
async function furnish(cluster: Cluster, context: Context): Promise<readonly Step[]> {
  const templates = allTemplates(context);
  const projects: Step[] = [];
  for (const project of defaultProjects) {
    const work = () => keepProject(project, cluster, templates, context);
    projects.push(await attempt(project.condition, work, context));
  }
  if (!projects.every(isDone)) {
    await tell(cluster, projects, context);
    return projects;
  }

  const { cluster: bound, steps } = await enrol(cluster, templates, context);
  await tell(bound, [...projects, ...steps], context);
  return steps;
}

/** Who sees the cluster, and what its creator gets. */
async function enrol(cluster: Cluster, templates: Templates, context: Context): Promise<Enrolled> {
  let known = cluster;
  try {
    known = await requireTemplates(cluster, templates, context);
    await keepRoles(known, context);
    return await bindCreator(known, context);
  } catch (thrown) {
    const unsettled = [conditions.creator, conditions.roles].filter((each) => !isTrue(known, each));
    if (unsettled.length === 0) throw thrown;
    return { cluster: known, steps: unsettled.map((type) => failure(type, thrown, context)) };
  }
}

function tell(cluster: Cluster, steps: readonly Step[], context: Context): Promise<Cluster> {
  return tellConditions(
    cluster,
    steps.map(({ condition }) => condition),
    context,
  );
}

async function keepNamespace(
  cluster: Cluster,
  context: Context,
  { env }: ClusterSurroundings,
): Promise<Step> {
  const type = conditions.namespace;
  const { name } = cluster.metadata;
  const problem = nameProblem(name);
  if (problem !== undefined) return fails(type, { reason: reasons.invalidName, message: problem });

  const { client, cache, signal } = context;
  const live = cache(Namespace).get(name) ?? (await client.find(Namespace, name));
  if (live?.metadata.deletionTimestamp !== undefined) {
    const message = `waiting until namespace ${name}, which is being deleted, is gone`;
    return waits(type, { reason: reasons.terminating, message });
  }
  if (live !== undefined && !isForCluster(live, cluster, systemNamespaces(context, env))) {
    return fails(type, { reason: reasons.nameTaken, message: takenText(name) });
  }
  const options = { owner: cluster, prune: [], keep: [Namespace], ownerReference: "none" } as const;
  const caches = (kind: Kind) => cache(kind);
  const wanted = desiredNamespace(cluster, namespaceMetadata(env));
  await applySet(client, [wanted], { ...options, id: "drover-clusters-namespace", caches, signal });
  return holds(type);
}

function takenText(name: string): string {
  return `namespace ${name} was not made for the cluster, and goes with it if it becomes the cluster's: delete it, or hand it over by annotation management.cattle.io/system-namespace=true`;
}

/** Namespaces that are the system's by their names. */
export function systemNamespaces(
  { cache }: Pick<Context, "cache">,
  env: Environment,
): ReadonlySet<string> {
  const text = liveSettings(cache(Setting), env).text("system-namespaces");
  return new Set(text.split(",").map((name) => name.trim()));
}

async function keepRoles(cluster: Cluster, context: Context): Promise<void> {
  const { name } = cluster.metadata;
  const objects = membershipClusterRoles(cluster);
  const parts = [{ id: "drover-clusters-roles", kinds: [ClusterRole], objects }];
  const label = { key: clusterLabel, value: clusterLabelValue(name) };
  const problems = (await settle(parts, { owner: cluster, label }, context)).flat();
  for (const { reason, message } of problems) context.events.warning(reason, message);
  throwForRetry(problems);
}
