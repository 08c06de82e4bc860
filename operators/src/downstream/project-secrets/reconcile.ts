import { backingNamespaceOf, Project } from "@drover/crds";
import { type Context, done, keyOf, parseKey, type Result } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { settleCopies } from "./copies.ts";
import {
  copyOf,
  ignores,
  isAccountToken,
  isCopy,
  isOfSame,
  ownerOf,
  sourceKeysOf,
} from "./desired.ts";
import { indexes, reasons } from "./names.ts";

/** Makes every namespace of the project have a copy of the Secret, and no other namespace. */
export async function reconcile(source: Secret, context: Context): Promise<Result> {
  if (isCopy(source)) return done;
  await withdraw(source, context);
  const project = projectOf(source, context);
  if (project === undefined) return done;
  if (isAccountToken(source)) context.events.warning(reasons.invalid, noTokens);
  const targets = isAccountToken(source) ? [] : targetsOf(source, project, context);
  const wanted = targets.map((name) => copyOf(source, name));
  return settleCopies(wanted, copiesOf(keyOf(source), context), context);
}

const noTokens =
  "a token of a ServiceAccount (type kubernetes.io/service-account-token) is not copied: Kubernetes deletes it, or makes another one of it, wherever it is";

/** Takes back what was copied for a project that the source says it is of no more. The hub's server has the last word about that. */
async function withdraw(source: Secret, context: Context): Promise<void> {
  const former = copiesOf(keyOf(source), context).filter((copy) => !isOfSame(copy, source));
  if (former.length === 0) return;
  const { name, namespace } = source.metadata;
  const live = await context.hub.client.find(Secret, name, { namespace });
  if (live !== undefined && isOfSame(live, source)) await settleCopies([], former, context);
}

/** The source is no more, or is shared no more. The hub's server is asked before anything is deleted. */
export async function forget(key: string, context: Context): Promise<Result> {
  const copies = copiesOf(key, context);
  if (copies.length === 0) return done;
  const { name, namespace } = parseKey(key);
  const live = await context.hub.client.find(Secret, name, { namespace });
  if (live !== undefined && isOf(live, context)) return done; // there again: its own run looks after them
  return settleCopies([], copies, context);
}

function isOf(source: Secret, { cluster }: Context): boolean {
  return ownerOf(source).some((key) => key.startsWith(`${cluster}/`));
}

/** Undefined for what is in no project's own namespace. */
function projectOf(source: Secret, { hub, cluster }: Context): Project | undefined {
  const [key = ""] = ownerOf(source);
  const project = key.startsWith(`${cluster}/`) ? hub.cache(Project).get(key) : undefined;
  const isAtHome = project && backingNamespaceOf(project) === source.metadata.namespace;
  return isAtHome ? project : undefined;
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
