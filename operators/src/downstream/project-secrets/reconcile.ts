import { backingNamespaceOf, Project } from "@drover/crds";
import { throwForRetry } from "@drover/platform";
import {
  type ApiError,
  type Context,
  done,
  isAlreadyExists,
  isInvalid,
  isNotFound,
  keyOf,
  parseKey,
  type Result,
  requeueAfter,
  TemporaryError,
} from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { copyOf, ignores, isCopy, ownerOf, remedyFor, sourceKeysOf, updated } from "./desired.ts";
import { indexes, reasons } from "./names.ts";

/** Until it is worth a look whether people gave up a name, of which no event tells. */
const giveUp = 60_000;

/** Makes every namespace of the project have a copy of the Secret, and no other namespace. */
export async function reconcile(source: Secret, context: Context): Promise<Result> {
  const project = projectOf(source, context);
  if (project === undefined) return done;
  const targets = targetsOf(source, project, context);
  const errors: { readonly error: Error }[] = [];
  const taken: string[] = [];
  for (const namespace of targets) {
    await spread(source, namespace, context).then(
      (isOurs) => isOurs || taken.push(namespace),
      (error: Error) => isNotFound(error) || errors.push({ error }),
    );
  }
  await removeOthers(copiesOf(keyOf(source), context), new Set(targets), context);
  throwForRetry(errors);
  return taken.length === 0 ? done : requeueAfter(giveUp);
}

/** The source is no more, or is shared no more. The hub's server is asked before anything is deleted. */
export async function forget(key: string, context: Context): Promise<Result> {
  const copies = copiesOf(key, context);
  if (copies.length === 0) return done;
  const { name, namespace } = parseKey(key);
  const live = await context.hub.client.find(Secret, name, { namespace });
  if (live !== undefined && isOf(live, context)) return done; // there again: its own run looks after them
  await removeOthers(copies, new Set(), context);
  return done;
}

function isOf(source: Secret, { cluster }: Context): boolean {
  return ownerOf(source).some((key) => key.startsWith(`${cluster}/`));
}

/** Undefined for what is in no project's own namespace, as copies are where the hub is the cluster. */
function projectOf(source: Secret, { hub, cluster }: Context): Project | undefined {
  const [key = ""] = ownerOf(source);
  const project = key.startsWith(`${cluster}/`) ? hub.cache(Project).get(key) : undefined;
  if (project === undefined || isCopy(source)) return undefined;
  return backingNamespaceOf(project) === source.metadata.namespace ? project : undefined;
}

/** Namespaces of the project that are to have a copy. The source's own stays as it is. */
function targetsOf(source: Secret, project: Project, { cache }: Context): readonly string[] {
  const isIgnored = ignores(source);
  return cache(Namespace)
    .byIndex(indexes.member, keyOf(project))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== source.metadata.namespace && !isIgnored(name))
    .toSorted();
}

function copiesOf(key: string, { cache, hub, cluster }: Context): readonly Secret[] {
  const find = (project: string): Project | undefined => hub.cache(Project).get(project);
  return cache(Secret)
    .byIndex(indexes.copy, parseKey(key).name)
    .filter((copy) => sourceKeysOf(copy, cluster, find).includes(key));
}

/** Answers false where somebody else has the name. The cache shows Secrets with the label only: nobody's others are ever read unless they are in the way. */
async function spread(source: Secret, namespace: string, context: Context): Promise<boolean> {
  const wanted = copyOf(source, namespace);
  try {
    const live = context.cache(Secret).get(keyOf(wanted)) ?? (await made(wanted, context));
    if (live === undefined) return true;
    if (isCopy(live)) return await repair(live, wanted, context);
    const message = `namespace ${namespace} has another Secret ${source.metadata.name}, which stays: rename or delete it`;
    context.events.warning(reasons.nameTaken, message);
    return false;
  } catch (error) {
    if (!isInvalid(error)) throw error;
    context.events.warning(reasons.invalid, `namespace ${namespace}: ${fieldsOf(error)}`);
    return true;
  }
}

/** Undefined once it was made; what has the name otherwise, as the server has it. */
async function made(wanted: Secret, { client }: Context): Promise<Secret | undefined> {
  try {
    await client.create(wanted);
    return undefined;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name, namespace } = wanted.metadata;
    return client.find(Secret, name, { namespace });
  }
}

async function repair(live: Secret, wanted: Secret, { client }: Context): Promise<true> {
  const remedy = live.metadata.deletionTimestamp === undefined ? remedyFor(live, wanted) : "none";
  if (remedy === "update") await client.update(updated(live, wanted));
  if (remedy === "replace") {
    await client.delete(live);
    await client.create(wanted);
  }
  return true;
}

/** What the server says of a Secret may quote its data, so only fields are named. */
function fieldsOf({ status }: ApiError): string {
  const fields = status?.details?.causes?.flatMap(({ field }) => field ?? []) ?? [];
  return `the API server does not take the copy${fields.length === 0 ? "" : `: see ${fields.join(", ")}`}`;
}

/** By the cache only as long as it is in touch; deletes carry uid and resourceVersion. */
async function removeOthers(
  copies: readonly Secret[],
  targets: ReadonlySet<string>,
  { cache, client, log }: Context,
): Promise<void> {
  const unwanted = copies.filter(
    ({ metadata: { namespace = "", deletionTimestamp } }) =>
      deletionTimestamp === undefined && !targets.has(namespace),
  );
  if (unwanted.length === 0) return;
  const { synced, watchState } = cache(Secret);
  if (!synced || watchState.phase === "degraded") {
    throw new TemporaryError("the cache of secrets is out of touch with the server");
  }
  for (const copy of unwanted) {
    await client.delete(copy);
    log.info("deleted a copy that is wanted no more", { copy: keyOf(copy) });
  }
}
