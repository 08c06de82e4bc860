/** What `GET /v1/access` is asked, from the parameters of its URL. Pure. */

import { type Caller, givenGroups } from "@drover/platform";
import { problem } from "../problem.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";

/** One thing that somebody wants to do, and who: with a resource, or at a path that is none. */
export type Question = ResourceQuestion | PathQuestion;

interface Asked {
  readonly cluster: string;
  readonly caller: Caller;
  /** Somebody else than who asks, as the question says it; `caller` has the groups besides that the API server gives them. */
  readonly other?: { readonly user: string; readonly groups: readonly string[] } | undefined;
  readonly verb: string;
}

/** About a resource. */
export interface ResourceQuestion extends Asked {
  readonly type: ResourceType;
  /** Of the type, or one of its subresources: `pods/log`. */
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** About a path of the API server, such as `/metrics`. */
export interface PathQuestion extends Asked {
  readonly path: string;
}

/** Where types of a cluster are found; undefined for a cluster that is not known. */
export type TypesOf = (cluster: string) => Pick<Types, "find"> | undefined;

const known = [
  "verb",
  "resource",
  "path",
  "namespace",
  "name",
  "cluster",
  "user",
  "group",
] as const;
const localCluster = "local";
/** Characters of a parameter. */
const longest = 253;
/** Values of `group`. */
const mostGroups = 100;

/** Reads a question; throws a Problem (422, or 404 for what is not there) that names the parameter. */
export function readQuestion(query: URLSearchParams, asker: Caller, typesOf: TypesOf): Question {
  for (const key of query.keys()) check(key);
  const text = (key: Parameter): string | undefined => one(query, key);
  const verb = required(text("verb"), "verb");
  if (!/^[A-Za-z*]{1,63}$/.test(verb)) throw problem("InvalidFormat", "no such verb", "verb");
  const cluster = text("cluster") ?? localCluster;
  const types = typesOf(cluster);
  if (types === undefined) throw problem("NotFound", "no such cluster", "cluster");
  const who = callerIn(query, asker);
  const asked = { cluster, verb, ...who };
  return query.has("path")
    ? { ...asked, path: pathIn(query) }
    : { ...asked, ...resourceIn(query, types) };
}

/** What is at a path is no object of a resource. */
function pathIn(query: URLSearchParams): string {
  const path = required(one(query, "path"), "path");
  if (!path.startsWith("/")) throw problem("InvalidFormat", "a path begins with a slash", "path");
  for (const key of ["resource", "namespace", "name"] as const) {
    if (one(query, key) === undefined) continue;
    throw problem("InvalidOption", `a path has no ${key}`, key);
  }
  return path;
}

function resourceIn(
  query: URLSearchParams,
  types: Pick<Types, "find">,
): Omit<ResourceQuestion, keyof Asked> {
  const { type, plural } = typeIn(resourceText(query), types);
  const namespace = one(query, "namespace");
  if (namespace !== undefined && type.kind.scope === "Cluster") {
    throw problem("InvalidOption", `${type.pluralName} are in no namespace`, "namespace");
  }
  return { type, plural, namespace, name: one(query, "name") };
}

function resourceText(query: URLSearchParams): string {
  const text = one(query, "resource");
  if (text !== undefined) return text;
  throw problem("MissingRequired", "resource is missing, or path for what is none", "resource");
}

type Parameter = (typeof known)[number];

function check(key: string): void {
  if (key.startsWith("_")) return; // those are everybody's, such as _format
  if (!known.some((each) => each === key)) {
    const shown = key.slice(0, 64);
    throw problem("InvalidOption", `no such parameter, only ${known.join(", ")}`, shown);
  }
}

/** An empty text is as good as none. */
function one(query: URLSearchParams, key: Parameter): string | undefined {
  const [text = "", ...more] = query.getAll(key);
  if (more.length > 0) throw problem("InvalidOption", `${key} may be given once`, key);
  return limited(text, key) || undefined;
}

function limited(text: string, key: Parameter): string {
  if (text.length > longest) throw problem("InvalidFormat", `${key} is too long`, key);
  return text;
}

function required(text: string | undefined, key: Parameter): string {
  if (text === undefined) throw problem("MissingRequired", `${key} is missing`, key);
  return text;
}

function typeIn(
  text: string,
  types: Pick<Types, "find">,
): Pick<ResourceQuestion, "type" | "plural"> {
  const slash = text.indexOf("/");
  const type = types.find(slash < 0 ? text : text.slice(0, slash));
  if (type === undefined) throw problem("NotFound", "no such resource in the cluster", "resource");
  return { type, plural: type.kind.plural + (slash < 0 ? "" : text.slice(slash)) };
}

function callerIn(query: URLSearchParams, asker: Caller): Pick<Question, "caller" | "other"> {
  const user = one(query, "user");
  const groups = query.getAll("group").filter((group) => limited(group, "group") !== "");
  if (groups.length > mostGroups) throw problem("InvalidOption", "too many groups", "group");
  if (user === undefined) {
    if (groups.length === 0) return { caller: asker };
    throw problem("MissingRequired", "groups are those of a user, who is missing", "user");
  }
  if (user === asker.username && groups.length === 0) return { caller: asker };
  const all = [...new Set([...groups, ...givenGroups(user)])];
  return { caller: { username: user, groups: all }, other: { user, groups } };
}
