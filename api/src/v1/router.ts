/** Takes a request to /v1 apart, looks what it asks for, and hands it to who serves that (steve: pkg/server/router; apiserver: pkg/server/access.go). */

import type { Clock } from "kopf-ts";
import { baseUrl } from "../base-url.ts";
import { Repeated } from "../repeated.ts";
import { type Exchange, isV1, type Stage, send } from "../stage.ts";
import type { Access, AccessSets } from "./access/access.ts";
import type { SeveralRequest } from "./clusters/index.ts";
import { type Problem, problem } from "./problem.ts";
import type { TypeHandler, TypeRequest } from "./request.ts";
import { methodIn, type Route, unsupported } from "./route.ts";
import { isHidden, isListed, type Methods } from "./schemas/index.ts";
import { Turnstile } from "./turnstile.ts";
import type { ResourceType, Types } from "./types/resource-type.ts";
import { untilStill } from "./until-still.ts";

/** Who serves what is asked of types. */
export interface Handlers {
  readonly list: TypeHandler;
  readonly get: TypeHandler;
  readonly create: TypeHandler;
  readonly update: TypeHandler;
  readonly patch: TypeHandler;
  readonly remove: TypeHandler;
}

/** What the router chooses from. */
export interface RouterParts {
  readonly types: Types;
  readonly access: AccessSets;
  readonly clock: Pick<Clock, "after">;
  readonly methodsOf: (type: ResourceType, access: Access) => Methods;
  readonly handlers: Handlers;
  /** Lists a type over several clusters, where the query names any. */
  readonly several?: ((request: SeveralRequest) => Promise<void>) | undefined;
  /** By name in lower case. The empty name is /v1 itself. */
  readonly routes: Readonly<Record<string, Route>>;
}

/** Serves /v1; everything else goes on. However many requests come at once, few begin in one turn of the event loop. */
export function router(parts: RouterParts): Stage {
  const turnstile = new Turnstile();
  const methodsOf = remembered(parts.methodsOf);
  const serving = { ...parts, methodsOf, ...readiness(parts) };
  return async (exchange, next) => {
    const segments = segmentsOf(exchange.path);
    if (segments === undefined) return next();
    await turnstile.pass(exchange.signal);
    await serve(serving, exchange, segments);
  };
}

/** What stands behind /v1, decoded; undefined for other paths. One slash at the end does not count. */
function segmentsOf(path: string): readonly string[] | undefined {
  return isV1(path) ? knownSegments.of(path, decodedSegments) : undefined;
}

const knownSegments = new Repeated<readonly string[]>();

function decodedSegments(path: string): readonly string[] {
  const segments = path.slice("/v1/".length).replace(/\/$/, "").split("/");
  return segments.map(decoded);
}

/** What cannot be decoded names nothing. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** With what has to come before anything is served. */
interface Serving extends RouterParts {
  readonly isReady: () => boolean;
  readonly untilReady: (signal: AbortSignal) => Promise<void>;
}

async function serve(
  parts: Serving,
  exchange: Exchange,
  segments: readonly string[],
): Promise<void> {
  const [name = "", ...rest] = segments;
  const method = methodOf(exchange);
  const { signal } = exchange;
  if (!parts.isReady()) await parts.untilReady(signal);
  const access = parts.access.of(exchange.login.caller);
  const base = baseUrl(exchange.request);
  const route = routeOf(parts, exchange, name.toLowerCase());
  if (route !== undefined) return route(exchange, { access, rest, base, signal });
  const across = method === "GET" ? listAcross(parts, exchange, name, rest) : undefined;
  if (across === undefined && exchange.query.has("clusters")) throw ofOneCluster();
  await whileUnsent(exchange, async () => {
    if (across !== undefined)
      return across({ exchange, access, base, signal, resourceType: readId(parts, name, access) });
    const found = known(parts, name, access);
    if (found === undefined) return send(exchange.response, 404, "", "application/json");
    const { type, methods } = found;
    const request = { exchange, method, type, access, base, signal, ...placeIn(type, rest) };
    await handlerOf(parts.handlers, methods, request)(request);
  });
}

/** Who serves a name of its own. Throws for several clusters where that is of one. */
function routeOf({ routes }: RouterParts, { query }: Exchange, name: string): Route | undefined {
  if (!Object.hasOwn(routes, name)) return undefined;
  if (query.has("clusters") && name !== "search") throw ofOneCluster();
  return routes[name];
}

/** As long as there are both: rights and types are others once they change. */
function remembered(methodsOf: RouterParts["methodsOf"]): RouterParts["methodsOf"] {
  const known = new WeakMap<Access, WeakMap<ResourceType, Methods>>();
  return (type, access) => {
    const found = known.get(access)?.get(type);
    if (found !== undefined) return found;
    const methods = methodsOf(type, access);
    const ofAccess = known.get(access) ?? new WeakMap();
    known.set(access, ofAccess.set(type, methods));
    return methods;
  };
}

/** A type, and what the caller may do with it; undefined where that is nothing. */
function known(
  { types, methodsOf }: RouterParts,
  name: string,
  access: Access,
): { readonly type: ResourceType; readonly methods: Methods } | undefined {
  const type = types.find(name);
  const methods = type && methodsOf(type, access);
  return type === undefined || methods === undefined || isHidden(methods)
    ? undefined
    : { type, methods };
}

/** The id of a type that the caller may know of, else what they call it. Throws for one that nobody reads through /v1, in whichever cluster. */
function readId(parts: RouterParts, name: string, access: Access): string {
  const { type, methods } = known(parts, name, access) ?? {};
  if (methods?.collectionMethods.includes("blocked-GET")) throw unsupported("GET");
  return type?.id ?? name;
}

/** Who lists a type over several clusters, when that is asked. Whether a type that only others have is in namespaces this cluster cannot tell. */
function listAcross(
  { several, types }: RouterParts,
  { query }: Exchange,
  type: string,
  rest: readonly string[],
): ((request: Omit<SeveralRequest, "type" | "namespace">) => Promise<void>) | undefined {
  if (several === undefined || !query.has("clusters") || rest.length > 1) return undefined;
  const isOutside = types.find(type)?.kind.scope === "Cluster";
  const [namespace] = rest;
  if (isOutside && namespace !== undefined) return undefined; // one object
  return (request) => several({ ...request, type, namespace });
}

/** Milliseconds that a request waits until it is known what the cluster serves, and to whom. */
const patience = 10_000;

/** What is ready stays so; until then each request waits. */
function readiness(parts: RouterParts): Pick<Serving, "isReady" | "untilReady"> {
  let isReady = false;
  return {
    isReady: () => isReady,
    untilReady: async (signal) => {
      await untilReady(parts, signal);
      isReady = true;
    },
  };
}

/** Throws a Problem 503 when that takes too long; rejects with the signal's reason. */
async function untilReady(
  { types, access, clock }: RouterParts,
  signal: AbortSignal,
): Promise<void> {
  const late = new AbortController();
  const timer = clock.after(patience, () => late.abort(problem("ClusterUnavailable", unknown)));
  const either = AbortSignal.any([signal, late.signal]);
  try {
    await Promise.all([types.ready(either), access.ready(either)]);
  } finally {
    timer.cancel();
  }
}

const unknown = "what the cluster serves, and to whom, is not known yet";

/** Else what is meant for another cluster would be done in this one. */
function ofOneCluster(): Problem {
  const message =
    "only lists, searches and messages of subscriptions are of several clusters: ask without clusters";
  return problem("InvalidOption", message, "clusters");
}

/** Answers once types stand still, without the warnings of an answer that was not to be. */
function whileUnsent({ response }: Exchange, answer: () => Promise<void>): Promise<void> {
  const answerAnew = (): Promise<void> => {
    response.removeHeader("Warning");
    return answer();
  };
  return untilStill(answerAnew, () => !response.headersSent);
}

const served: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function methodOf(exchange: Exchange): string {
  const method = methodIn(exchange);
  if (served.includes(method)) return method;
  throw problem("MethodNotAllowed", `Invalid method ${method.slice(0, 20)} not supported`);
}

/** In /v1/{type}/{namespace}/{name}/{link} the link is behind objects in namespaces alone, as in Steve. */
function placeIn(
  { kind }: ResourceType,
  rest: readonly string[],
): Pick<TypeRequest, "namespace" | "name" | "link"> {
  const [namespace, name, link, ...more] =
    kind.scope === "Namespaced" ? rest : [undefined, ...rest];
  const isTooLong = more.length > 0 || (namespace === undefined && link !== undefined);
  if (isTooLong || rest.includes("")) throw nothingServed();
  return { namespace, name, link };
}

function nothingServed(): Problem {
  return problem("NotFound", "nothing is served at this path");
}

function handlerOf(handlers: Handlers, methods: Methods, request: TypeRequest): TypeHandler {
  const { method, name, link, exchange } = request;
  if (link !== undefined && method !== "GET") throw nothingServed(); // else a path too long would change the object before it
  const action = exchange.query.get("action");
  if (method === "POST" && action) {
    throw problem("InvalidAction", `Invalid action: ${action.slice(0, 64)}`, "action");
  }
  const allowed = name === undefined ? methods.collectionMethods : methods.resourceMethods;
  const lists = name === undefined && method === "GET" && isListed(methods);
  if (!allowed.includes(method) && !lists) {
    throw unsupported(method);
  }
  if (name === undefined) return method === "POST" ? handlers.create : handlers.list;
  return ofObject(handlers)[method] ?? handlers.get;
}

function ofObject({ get, update, patch, remove }: Handlers): Readonly<Record<string, TypeHandler>> {
  return { GET: get, PUT: update, PATCH: patch, DELETE: remove };
}
