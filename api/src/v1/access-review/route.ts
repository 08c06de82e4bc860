/** `GET /v1/access`: why somebody may do something or not. */

import type { AccessSources, Caller, Wish } from "@drover/platform";
import type { Exchange } from "../../stage.ts";
import type { Access, AccessSets } from "../access/access.ts";
import type { RbacSources } from "../access/index.ts";
import { sendObject } from "../answers/answer.ts";
import { problem } from "../problem.ts";
import { nameIn, type Place, type Route } from "../route.ts";
import type { Types } from "../types/resource-type.ts";
import { explain, placeOf } from "./explain.ts";
import { type Question, readQuestion } from "./question.ts";

/** One cluster that can be asked about. */
export interface ReviewedCluster {
  readonly types: Pick<Types, "find">;
  readonly access: Pick<AccessSets, "of" | "ready">;
  readonly sourcesFor: (wish: Wish) => RbacSources;
  /** `<cluster>:<project>` of a namespace, where it is known. */
  readonly projectOf?: ((namespace: string) => string | undefined) | undefined;
}

/** What the route needs. */
export interface ReviewParts {
  /** Undefined for a cluster that is not known. The server's own is `local`. */
  readonly clusterOf: (name: string) => ReviewedCluster | undefined;
  /** Whoever logs in as the User whom a text means, by name, principal or user name; undefined where it means none. */
  readonly personCalled: (text: string) => Promise<Pick<Caller, "username" | "groups"> | undefined>;
  /** What is declared in the management cluster, where there is one. */
  readonly declared?: { readonly sources: AccessSources | undefined } | undefined;
}

/** Answers from caches alone. */
export function accessRoute(parts: ReviewParts): Route {
  return async (exchange: Exchange, place: Place) => {
    const { query, login } = exchange;
    if (nameIn(exchange, place) !== undefined) throw problem("NotFound", "no such access");
    const asked = readQuestion(query, login.caller, (name) => parts.clusterOf(name)?.types);
    if (asked.other !== undefined) mayAskAbout(asked.other, place.access);
    const isKnowing = asked.other !== undefined && mayReview(place.access);
    const caller = isKnowing ? await asLoggedIn(asked.caller, parts) : asked.caller;
    const question = { ...asked, caller };
    const item = await answer(parts, question, place);
    await sendObject(exchange, `${JSON.stringify(item)}\n`);
  };
}

async function answer(
  { clusterOf, declared }: ReviewParts,
  question: Question,
  { base, signal }: Place,
): Promise<object> {
  const cluster = clusterOf(question.cluster);
  if (cluster === undefined) throw problem("NotFound", "no such cluster", "cluster");
  await cluster.access.ready(signal);
  const { caller, verb } = question;
  const home = placeOf(question);
  const explanation = explain(question, {
    access: cluster.access.of(caller),
    sourcesFor: cluster.sourcesFor,
    declared: declared?.sources,
    project: home === undefined ? undefined : cluster.projectOf?.(home),
  });
  return {
    ...{ id: idOf(question), type: "access", links: { self: selfOf(question, base) } },
    ...{ cluster: question.cluster, user: caller.username, groups: caller.groups },
    ...{ verb, ...whatOf(question), ...explanation },
  };
}

function whatOf(question: Question): object {
  if ("path" in question) return { path: question.path };
  const { type, plural, namespace, name } = question;
  return {
    ...{ group: type.kind.group, resource: plural, resourceType: type.id },
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}

/** The User who is meant, with the groups that a login gives them; told to nobody who may only impersonate them. */
async function asLoggedIn(caller: Caller, { personCalled }: ReviewParts): Promise<Caller> {
  if (caller.username.startsWith("system:")) return caller; // those are the cluster's own
  const person = await personCalled(caller.username);
  if (person === undefined) return caller;
  const groups = [...new Set([...caller.groups, ...person.groups])];
  return { ...caller, username: person.username, groups };
}

function mayReview(asker: Access): boolean {
  return asker.may("create", { group: "authorization.k8s.io", plural: "subjectaccessreviews" });
}

/** Only who could ask the API server the same, or be the other one, is told of others. */
function mayAskAbout({ user, groups }: NonNullable<Question["other"]>, asker: Access): void {
  if (mayReview(asker)) return;
  const isGranted =
    mayBe(user, asker) &&
    groups
      .filter((group) => group !== "system:authenticated")
      .every((group) => asker.may("impersonate", { group: "", plural: "groups" }, "", group));
  if (isGranted) return;
  throw problem("PermissionDenied", "may not ask about others", "user");
}

/** An API server asks for the right to impersonate a service account as such (kubernetes: apiserver/pkg/endpoints/filters/impersonation.go). */
function mayBe(username: string, asker: Access): boolean {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  return namespace === undefined || name === undefined
    ? asker.may("impersonate", { group: "", plural: "users" }, "", username)
    : asker.may("impersonate", { group: "", plural: "serviceaccounts" }, namespace, name);
}

/** `list apps.deployments default/web`, `get /metrics`. */
function idOf(question: Question): string {
  if ("path" in question) return `${question.verb} ${question.path}`;
  const { verb, type, plural, namespace, name } = question;
  const { group } = type.kind;
  const object = [namespace, name].filter((part) => part !== undefined).join("/");
  return [verb, group === "" ? plural : `${group}.${plural}`, object].filter(Boolean).join(" ");
}

function selfOf(question: Question, base: string): string {
  const { cluster, other } = question;
  const query = new URLSearchParams(parametersOf(question));
  if (cluster !== "local") query.set("cluster", cluster);
  if (other !== undefined) query.set("user", other.user);
  for (const group of other?.groups ?? []) query.append("group", group);
  return `${base}/v1/access?${query}`;
}

function parametersOf(question: Question): Record<string, string> {
  const { verb } = question;
  if ("path" in question) return { verb, path: question.path };
  const { type, plural, namespace, name } = question;
  const subresource = plural.slice(type.kind.plural.length);
  return {
    ...{ verb, resource: type.pluralName + subresource },
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}
