import {
  annotations,
  idOfProject,
  namespaceAnnotations,
  namespaceConditions,
  namespaceConditionTypes,
  Project,
} from "@drover/crds";
import { defaultIn, settleDefault, throwForRetry } from "@drover/platform";
import { type Context, done, isNotFound, keyOf, parseKey, type Result } from "kopf-ts";
import { Namespace, ResourceQuota } from "kopf-ts/kinds";
import { type Member, quotaOf, usedOf, type Verdict, verdictsOf } from "./desired.ts";
import type { Hard } from "./limits.ts";
import { grantedAnnotation, indexes, reasons } from "./names.ts";
import {
  type Annotations,
  annotationsPatch,
  countedAnnotations,
  countedFor,
  memberOf,
  outsideAnnotations,
  requestOf,
  uncountedAnnotations,
} from "./requests.ts";
import { usedPatch } from "./used.ts";

/** Settles all namespaces of a project together, those that left every project besides, and then the project's sum. */
export async function reconcile(project: Project, context: Context): Promise<Result> {
  const members = membersOf(keyOf(project), context);
  const quota = quotaOf(project);
  if (quota === undefined && (await isBehind(project, members, context))) return done;
  const verdicts =
    quota === undefined ? [] : verdictsOf(quota, members.map(toMember(project, context)));
  const byName = new Map(verdicts.map((verdict) => [verdict.name, verdict]));
  const errors: { readonly error: Error }[] = [];
  const attempt = async (work: Promise<void>): Promise<void> => {
    await work.catch((error: Error) => isNotFound(error) || errors.push({ error }));
  };
  for (const namespace of members) {
    const verdict = byName.get(namespace.metadata.name);
    await attempt(
      verdict === undefined
        ? uncount(namespace, context)
        : count(namespace, project, verdict, context),
    );
  }
  for (const namespace of outsidersOf(keyOf(project), context))
    await attempt(leave(namespace, context));
  await attempt(tellUsed(project, usedOf(verdicts), context));
  throwForRetry(errors);
  return done;
}

/**
 * Before anything is taken back, and with it what people asked for: whether the cache does not show the quota that the project has. What it will show brings
 * the next run.
 */
async function isBehind(
  { metadata: { name, namespace } }: Project,
  members: readonly Namespace[],
  context: Context,
): Promise<boolean> {
  const hasAny = members.some(
    (each) => countedFor(each).length > 0 || defaultIn(ResourceQuota, each, context) !== undefined,
  );
  if (!hasAny) return false;
  const live = await context.hub.client.find(Project, name, { namespace });
  return live === undefined || quotaOf(live) !== undefined;
}

/** The project is no more. What still claims to be in it is left alone: its annotation is no proof that it was meant. */
export async function forget(key: string, context: Context): Promise<Result> {
  const left = outsidersOf(key, context);
  if (left.length === 0) return done;
  const { name, namespace } = parseKey(key);
  const live = await context.hub.client.find(Project, name, { namespace });
  if (live !== undefined) return done; // there again, or the cache is behind: its own run looks after them
  for (const each of left) await leave(each, context);
  return done;
}

/** Namespaces on their way out need nothing any more. */
function membersOf(key: string, { cache }: Context): readonly Namespace[] {
  return cache(Namespace).byIndex(indexes.member, key).filter(isStanding);
}

/** Namespaces that were counted for the project, or bear its quota, and are in no project now; those that moved are their new project's. */
function outsidersOf(key: string, { cache }: Context): readonly Namespace[] {
  const counted = cache(Namespace).byIndex(indexes.counted, key);
  const homes = cache(ResourceQuota)
    .byIndex(indexes.quota, key)
    .flatMap(({ metadata }) => cache(Namespace).get(metadata.namespace ?? "") ?? []);
  const all = new Map([...counted, ...homes].map((each) => [each.metadata.name, each]));
  return [...all.values()].filter((each) => isStanding(each) && isOutside(each));
}

function isStanding({ metadata }: Namespace): boolean {
  return metadata.deletionTimestamp === undefined;
}

function isOutside(namespace: Namespace): boolean {
  return memberOf(namespace).length === 0;
}

function toMember(project: Project, context: Context): (namespace: Namespace) => Member {
  return (namespace) => ({
    name: namespace.metadata.name,
    created: namespace.metadata.creationTimestamp ?? "",
    request: requestOf(namespace),
    held: heldIn(namespace, project, context),
  });
}

/** What it was given in this project; what it brought along from another one does not count. */
function heldIn(namespace: Namespace, project: Project, context: Context): Hard | undefined {
  const quota = defaultIn(ResourceQuota, namespace, context);
  if (quota === undefined) return undefined;
  const own = quota.metadata.annotations ?? {};
  const counted = namespace.metadata.annotations?.[namespaceAnnotations.resourceQuotaProjectId];
  const giver = own[annotations.projectId] ?? counted ?? idOfProject(project);
  if (giver !== idOfProject(project)) return undefined;
  return new Map(Object.entries(grantedIn(own[grantedAnnotation]) ?? quota.spec?.hard ?? {}));
}

function grantedIn(text = "{}"): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && Object.keys(value).length > 0
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]))
      : undefined;
  } catch {
    return undefined;
  }
}

/** Its ResourceQuota first: what is said of it is true then. */
async function count(
  namespace: Namespace,
  project: Project,
  { wanted, granted, message }: Verdict,
  context: Context,
): Promise<void> {
  const hard = Object.fromEntries(granted);
  const own = {
    [annotations.projectId]: idOfProject(project),
    ...(message !== "" && { [grantedAnnotation]: JSON.stringify(hard) }),
  };
  const hasSurplus = ({ spec }: ResourceQuota): boolean =>
    Object.keys(spec?.hard ?? {}).some((name) => !granted.has(name));
  const content = { annotations: own, spec: { hard }, hasSurplus };
  const fault = await settleDefault(ResourceQuota, namespace, content, context);
  const told = [message, ...(fault === undefined ? [] : [`Invalid resource quota: ${fault}`])];
  const outcome = { wanted, message: told.filter(Boolean).join("; ") };
  tellRefusal(namespace, outcome.message, context);
  const now = context.clock.now();
  await annotate(
    namespace,
    countedAnnotations(namespace, idOfProject(project), outcome, now),
    context,
  );
}

/** The project gives no quota (any more). */
async function uncount(namespace: Namespace, context: Context): Promise<void> {
  await settleDefault(ResourceQuota, namespace, undefined, context);
  await annotate(namespace, uncountedAnnotations(namespace, context.clock.now()), context);
}

async function leave(namespace: Namespace, context: Context): Promise<void> {
  await settleDefault(ResourceQuota, namespace, undefined, context);
  await annotate(namespace, outsideAnnotations(namespace), context);
}

async function annotate(
  namespace: Namespace,
  wanted: Annotations,
  { client }: Context,
): Promise<void> {
  const merge = annotationsPatch(namespace, wanted);
  if (merge !== undefined) await client.patch(namespace, { merge });
}

/** Once per refusal; the namespace says it as long as it lasts. */
function tellRefusal(namespace: Namespace, message: string, { events }: Context): void {
  const type = namespaceConditionTypes.resourceQuotaValidated;
  const before = namespaceConditions(namespace).find(({ Type }) => Type === type);
  if (message === "" || before?.Message === message) return;
  events.warning(reasons.quotaRefused, `namespace ${namespace.metadata.name}: ${message}`);
}

async function tellUsed(project: Project, used: Hard, { hub }: Context): Promise<void> {
  const merge = usedPatch(project, used);
  if (merge !== undefined) await hub.client.patch(project, { merge });
}
