/** Tells an object that does not exist from a kind that is not served. */

import { ApiError, isNotFound } from "./errors.ts";
import { type Kind, resourceName } from "./kind.ts";

/**
 * What a request about one object rejects with when the server does not serve the kind: `UnknownKind` in place of the 404. Who took that for
 * an object that is gone would clean up behind all objects of a kind while its CRD, or the API server behind it, is away for a moment.
 */
export async function served<T>(kind: Kind, server: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    const isUnserved = isNotFound(thrown) && !namesObject(thrown) && !isRefusal(thrown);
    throw isUnserved ? notServed(kind, server, thrown) : thrown;
  }
}

/** API servers name what they did not find (apimachinery: pkg/api/errors, NewNotFound); a path that nobody serves has no name. */
function namesObject({ status }: ApiError): boolean {
  return (status?.details?.name ?? "") !== "";
}

/** A webhook may refuse with any code, also because something else does not exist (apiserver: pkg/admission/plugin/webhook/errors/statuserror.go). */
function isRefusal({ status }: ApiError): boolean {
  return /^admission webhook ".*" denied the request/.test(status?.message ?? "");
}

function notServed(kind: Kind, server: string, cause: ApiError): ApiError {
  const { method, path, status } = cause;
  const what = `${resourceName(kind)}/${kind.version}`;
  const isWhole = cause.message === doesNotServe(server, what);
  return new ApiError({
    message: isWhole
      ? cause.message
      : `${method} ${path}: ${server} does not serve ${what}, or not this part of it`,
    code: 0,
    reason: "UnknownKind",
    method,
    path,
    status,
    cause,
  });
}

/** What a 404 says that is about a whole kind. The path, which may have a long query, would say nothing more. */
export function doesNotServe(server: string, what: string): string {
  return `${server} does not serve ${what}`;
}

/**
 * The resource that a 404 of a path without a name says is not served, such as `tokens.management.cattle.io/v3`; undefined when it says
 * something else, or the path is no collection and no object. `said` is the server's text (apiserver: pkg/server/mux and apiextensions answer
 * "404 page not found", endpoints "the server could not find the requested resource").
 */
export function unservedIn(path: string, said: string): string | undefined {
  if (said !== "404 page not found" && said !== "the server could not find the requested resource")
    return undefined;
  const [, core, group, version, plural = ""] = place.exec(path) ?? [];
  if (core !== undefined) return `${plural}/${core}`;
  return group === undefined ? undefined : `${plural}.${group}/${version}`;
}

/** A collection or an object, perhaps below a server's own path. */
const place =
  /\/(?:api\/(v\d\w*)|apis\/([a-z\d.-]+)\/(v\d\w*))\/(?:namespaces\/[^/?]+\/)?([a-z][a-z\d-]*)(?:\/[^/?]+)?(?:\?.*)?$/;

/** Whether an error may come from a path that is that of another scope or plural: not served, no such method there, or no namespace. */
export function isMisplaced(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError)) return false;
  const { code, reason } = thrown;
  return code === 400 || code === 405 || (code === 0 && misplaced.has(reason));
}

const misplaced: ReadonlySet<string> = new Set(["UnknownKind", "BadRequest"]);
