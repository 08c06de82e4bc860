/** Asks cluster and hub what the answer of `drover can` consists of. */

import { annotations, flatten, localClusterName, RoleTemplate } from "@drover/crds";
import {
  type AccessSources,
  accessSources,
  type Chain,
  declaredChains,
  grants,
  type ResourceWish,
  rbacChains,
  rbacReads,
  reviewAccess,
  type WishPlace,
} from "@drover/platform";
import { type CacheAccess, type Client, discover, type ServedKind } from "kopf-ts";
import { Namespace, type ResourceAttributes } from "kopf-ts/kinds";
import type { Findings } from "./answer.ts";
import { fillCaches } from "./caches.ts";
import { QuestionError, readQuestion } from "./question.ts";
import { findSubject, type Subject } from "./subject.ts";

/** What was typed. */
export interface Asked {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly cluster: string;
  readonly groups: readonly string[];
}

/** Where it is looked up. */
export interface Places {
  readonly hub: Client;
  /** The cluster that is asked about; the hub itself for `local`. */
  readonly target: Client;
  /** Of the hub, with `accessReads`. */
  readonly cache: CacheAccess;
  readonly signal: AbortSignal;
}

/** All that the answer needs. Throws a QuestionError for what makes no sense, ApiErrors for what cannot be looked up. */
export async function findOut(asked: Asked, places: Places): Promise<Findings> {
  const { hub, target, cache, signal } = places;
  if (asked.user === "") throw new QuestionError("name the user: nobody has an empty name");
  const { kinds: served } = await discover(target, { signal });
  const { kind, wish } = readQuestion(asked.verb, asked.resource, asked.name, served);
  const place = await placeOf(asked, kind, target);
  const subject = await findSubject(hub, asked.user, asked.groups);

  const attributes = attributesOf(wish, kind.version, place);
  const review = await reviewAccess(target, subject.caller, attributes, { signal });
  const sources = accessSources(cache);
  return {
    ...{ subject, wish, place },
    ...review,
    declared: declaredChains(subject.caller, wish, place, sources),
    shown: await shownIn(places, asked.cluster, { subject, wish, place }),
    templates: review.allowed ? [] : templatesFor(wish, place, cache, sources),
  };
}

/** A request about one namespace counts as made in it (kubernetes: apiserver/pkg/endpoints/request/requestinfo.go), so that bindings in it grant it too. */
async function placeOf(
  { cluster, name, namespace: asked }: Asked,
  kind: ServedKind,
  target: Client,
): Promise<WishPlace> {
  const isAboutOne = kind.group === Namespace.group && kind.kind === Namespace.kind;
  const outside = isAboutOne ? name : undefined;
  const namespace = kind.scope === "Cluster" ? outside : asked;
  if (namespace === undefined) return { cluster };
  const found = await target.find(Namespace, namespace);
  if (found === undefined && !isAboutOne) {
    throw new QuestionError(`there is no namespace ${namespace} in cluster ${cluster}`);
  }
  const project = found?.metadata.annotations?.[annotations.projectId];
  return project ? { cluster, namespace, project } : { cluster, namespace };
}

function attributesOf(
  { verb, apiGroup: group, resource: path, name }: ResourceWish,
  version: string,
  { namespace }: WishPlace,
): ResourceAttributes {
  const [resource = "", subresource] = path.split("/", 2);
  return {
    ...{ verb, group, version, resource },
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}

/** Ways through the RBAC of the cluster itself. */
async function shownIn(
  { target, cache, signal }: Places,
  cluster: string,
  { subject, wish, place }: { subject: Subject; wish: ResourceWish; place: WishPlace },
): Promise<readonly Chain[]> {
  const find = (access: CacheAccess): readonly Chain[] =>
    rbacChains(subject.caller, wish, place, accessSources(access));
  if (cluster === localClusterName) return find(cache);
  await using caches = await fillCaches(target, rbacReads, signal);
  return find(caches.cache);
}

/** Role templates that would do, the smallest first: who needs one right need not get all. */
function templatesFor(
  wish: ResourceWish,
  { project }: WishPlace,
  cache: CacheAccess,
  sources: AccessSources,
): readonly string[] {
  const context = project === undefined ? "cluster" : "project";
  return cache(RoleTemplate)
    .list()
    .filter((template) => template.context === context && template.locked !== true)
    .map((template) => ({ template, rules: rulesOf(template, sources) }))
    .filter(({ rules }) => rules.some((rule) => grants(rule, wish)))
    .toSorted((a, b) => a.rules.length - b.rules.length)
    .map(({ template }) => template.metadata.name);
}

/** A template that cannot be resolved grants nothing. */
function rulesOf(template: RoleTemplate, sources: AccessSources): ReturnType<typeof flatten> {
  try {
    return flatten(template, sources);
  } catch {
    return [];
  }
}
