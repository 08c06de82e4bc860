/** What goes into requests. Pure. */

import type {
  DeleteOptions,
  ForwardRequest,
  JsonPatchOperation,
  Patch,
  RawRequest,
} from "./client.ts";
import type { Call, Forward } from "./http/caller.ts";
import type { KubeObject, ObjectRef } from "./object.ts";
import { badRequest } from "./paths.ts";

/** The content type that tells the API server which kind of patch it gets. */
export function patchType(patch: Patch): string {
  if ("merge" in patch) return "application/merge-patch+json";
  if ("json" in patch) return "application/json-patch+json";
  return "application/strategic-merge-patch+json";
}

/** The patch itself. */
export function patchBody(patch: Patch): unknown {
  if ("merge" in patch) return patch.merge;
  return "json" in patch ? patch.json : patch.strategic;
}

/**
 * Whether a write may be repeated though it may have been carried out: its resourceVersion makes a second one fail with a conflict. Without
 * it the second would undo what others did after the first.
 */
export function isSafeUpdate({ metadata: { resourceVersion } }: KubeObject): boolean {
  return isVersion(resourceVersion);
}

/** As isSafeUpdate; in a JSON patch the resourceVersion is one that it tests, or sets (which the server compares). */
export function isSafePatch(patch: Patch): boolean {
  if ("json" in patch) return patch.json.some(comparesVersion);
  const changes = patchBody(patch) as { metadata?: { resourceVersion?: unknown } | null } | null;
  return isVersion(changes?.metadata?.resourceVersion);
}

/** As isSafeUpdate: the object that a precondition names cannot come again, whoever takes its name. */
export function isSafeDelete(options: DeleteOptions, object: ObjectRef): boolean {
  const { uid, resourceVersion } = preconditionsOf(options, object) ?? {};
  return isVersion(uid) || isVersion(resourceVersion);
}

function comparesVersion(step: JsonPatchOperation): boolean {
  return step.path === "/metadata/resourceVersion" && "value" in step && isVersion(step.value);
}

function isVersion(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** The DeleteOptions of a delete; a reference's uid and resourceVersion become preconditions. */
export function deleteBody(options: DeleteOptions, object?: ObjectRef): string {
  const preconditions = preconditionsOf(options, object);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: options.propagationPolicy,
    gracePeriodSeconds: options.gracePeriodSeconds,
    dryRun: options.dryRun ? ["All"] : undefined,
    preconditions,
  });
}

function preconditionsOf(
  { preconditions = "uid+resourceVersion" }: DeleteOptions,
  object: ObjectRef | undefined,
): { uid?: string | undefined; resourceVersion?: string | undefined } | undefined {
  if (object === undefined || preconditions === "none") return undefined;
  const { uid, resourceVersion } = object.metadata;
  if (uid === undefined && resourceVersion === undefined) return undefined;
  return preconditions === "uid" ? { uid } : { uid, resourceVersion };
}

/** A raw request as a call; `always` are headers that go with every request of the client. */
export function rawCall(request: RawRequest, always: readonly string[], streaming: boolean): Call {
  const { method, path, body, signal, timeout, answerLimit, beforeSend } = request;
  if (!path.startsWith("/"))
    throw badRequest(`${JSON.stringify(path)} does not begin with a slash`);
  const { "user-agent": userAgent, ...headers } = ownHeaders(request);
  if (body !== undefined) headers["content-type"] ??= "application/json";
  headers.accept ??= "application/json";
  return {
    method,
    path,
    verb: isWatch(path) ? "watch" : method.toLowerCase(),
    resource: resourceIn(path),
    headers: [...Object.entries(headers).flat(), ...always],
    userAgent,
    body,
    safe: method === "GET", // of others nobody knows what they do
    streaming,
    signal,
    timeout,
    answerLimit,
    beforeSend,
  };
}

/**
 * The request's headers, names in lower case. Those that say who asks, of whom, or how the connection is used belong to the client: passed
 * on from somebody else's request they would act with our rights, or with anybody's, or make a connection to another TLS name.
 */
function ownHeaders({ headers = {} }: RawRequest): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (saysWho.test(lower)) {
      throw badRequest(`a request cannot set ${lower}; use credentials and as()`);
    }
    if (ofConnection.has(lower)) {
      throw badRequest(`a request cannot set ${lower}, which belongs to the connection`);
    }
    own[lower] = value;
  }
  return own;
}

/** Servers behind an authenticating proxy take x-remote-* for who asks (kube-apiserver: --requestheader-username-headers). */
const saysWho = /^(?:authorization$|proxy-authorization$|impersonate-|x-remote-)/;

/** Host, which also names the server to TLS, and what is between two hops only (RFC 9110, 7.6.1). */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** A request that is passed on, as a call; `always` are headers that go with every request of the client. */
export function forwardCall(
  request: ForwardRequest,
  always: readonly string[],
  upgrade?: string,
): Forward {
  const { method, path, rawHeaders, body, signal, authorization } = request;
  if (!path.startsWith("/"))
    throw badRequest(`${JSON.stringify(path)} does not begin with a slash`);
  if (method === "CONNECT" || method === "TRACE") throw badRequest(`${method} is not passed on`);
  if (authorization !== undefined && always.length > 0) {
    throw badRequest("whoever has an authorization of their own cannot be impersonated as well");
  }
  const lower = method.toLowerCase();
  const plain = knownMethods.has(lower) ? lower : "other";
  return {
    method,
    path,
    verb: upgrade === undefined ? (isWatch(path) ? "watch" : plain) : "connect",
    resource: resourceIn(path),
    headers: [...forwardedHeaders(rawHeaders, body !== undefined), ...always],
    body,
    signal,
    authorization,
    upgrade,
  };
}

const knownMethods: ReadonlySet<string> = new Set([
  "get",
  "head",
  "options",
  "post",
  "put",
  "patch",
  "delete",
]);

/**
 * The headers that go on: all but those that say who asks, or that belong to a connection, also those that Connection names. The length of a
 * body stays with it. A token can hide in a websocket's protocols, too (kubernetes: apiserver/pkg/authentication/request/websocket).
 */
function forwardedHeaders(rawHeaders: readonly string[], hasBody: boolean): string[] {
  const kept: string[] = [];
  const dropped = namedByConnection(rawHeaders);
  for (const [name, value] of pairs(rawHeaders)) {
    const isLength = name === "content-length" && hasBody;
    if (saysWho.test(name) || dropped.has(name) || (ofConnection.has(name) && !isLength)) continue;
    const text = name === "sec-websocket-protocol" ? withoutToken(value) : value;
    if (text !== "") kept.push(name, text);
  }
  return kept;
}

function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> {
  const named = [...pairs(rawHeaders)].flatMap(([name, value]) =>
    name === "connection" ? value.split(",") : [],
  );
  return new Set(named.map((each) => each.trim().toLowerCase()));
}

function* pairs(rawHeaders: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    yield [(rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? ""];
  }
}

function withoutToken(protocols: string): string {
  const all = protocols.split(",").map((each) => each.trim());
  return all.filter((each) => !each.startsWith("base64url.bearer.authorization.k8s.io")).join(", ");
}

function isWatch(path: string): boolean {
  return /[?&]watch=(1|true)(&|$)/.test(path);
}

/** What the names of resources and groups look like (RFC 1123); anything else in a path is not a resource. */
const RESOURCE = /^[a-z][a-z0-9-]{0,62}$/;
const GROUP = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** `pods` or `deployments.apps` in a path, the empty string in paths outside of resources. */
export function resourceIn(path: string): string {
  const [, root, ...rest] = path
    .slice(0, (path.indexOf("?") + 1 || path.length + 1) - 1)
    .split("/");
  const group = root === "apis" ? rest.shift() : "";
  if ((root !== "api" && root !== "apis") || group === undefined) return "";
  const [, first = "", , third] = rest;
  const plural = first === "namespaces" && third !== undefined ? third : first;
  if (!RESOURCE.test(plural) || (root === "apis" && !GROUP.test(group))) return "";
  return root === "api" ? plural : `${plural}.${group}`;
}
