import { backingNamespaceOf, Project } from "@drover/crds";
import { type Context, done, keyOf, parseKey, type Result } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { settleCopies } from "./copies.ts";
import { copyOf, ignores, isCopy, ownerOf, sourceKeysOf } from "./desired.ts";
import { indexes } from "./names.ts";

/** Makes every namespace of the project have a copy of the Secret, and no other namespace. */
export async function reconcile(source: Secret, context: Context): Promise<Result> {
  const project = projectOf(source, context);
  if (project === undefined) return done;
  const wanted = targetsOf(source, project, context).map((name) => copyOf(source, name));
  return settleCopies(wanted, copiesOf(keyOf(source), context), context);
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
