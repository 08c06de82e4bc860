/** What goes into requests. Pure. */

import type { DeleteOptions, Patch, RawRequest } from "./client.ts";
import type { Call } from "./http/caller.ts";
import type { ObjectRef } from "./object.ts";

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

/** Whether applying a patch twice gives what applying it once gives; `add` to the end of a list does not. */
export function isSafePatch(patch: Patch): boolean {
  return !("json" in patch);
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
  const { method, path, headers = {}, body, signal, timeout } = request;
  const listed = Object.entries(headers).flat();
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (!names.includes("accept")) listed.push("accept", "application/json");
  if (body !== undefined && !names.includes("content-type")) {
    listed.push("content-type", "application/json");
  }
  return {
    method,
    path,
    verb: isWatch(path) ? "watch" : method.toLowerCase(),
    resource: resourceIn(path),
    headers: [...listed, ...always],
    body,
    safe: isSafe(request),
    streaming,
    signal,
    timeout,
  };
}

function isSafe({ method, headers = {} }: RawRequest): boolean {
  if (method === "POST") return false;
  return (
    method !== "PATCH" || !Object.values(headers).some((value) => value.includes("json-patch"))
  );
}

function isWatch(path: string): boolean {
  return /[?&]watch=(1|true)(&|$)/.test(path);
}

/** `pods` or `deployments.apps` in a path, the empty string in paths outside of resources. */
export function resourceIn(path: string): string {
  const [, root, ...rest] = path
    .slice(0, (path.indexOf("?") + 1 || path.length + 1) - 1)
    .split("/");
  const group = root === "apis" ? rest.shift() : "";
  if ((root !== "api" && root !== "apis") || group === undefined) return "";
  const [, first = "", , third] = rest;
  const plural = first === "namespaces" && third !== undefined ? third : first;
  return plural === "" || group === "" ? plural : `${plural}.${group}`;
}
