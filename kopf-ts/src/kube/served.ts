/** Tells an object that does not exist from a kind that is not served. */

import { ApiError, isNotFound } from "./errors.ts";
import { apiVersionOf, type Kind, resourceName } from "./kind.ts";

/**
 * What a request about one object rejects with when the server does not serve the kind: `UnknownKind` in place of the 404. Who took that for
 * an object that is gone would clean up behind all objects of a kind while its CRD, or the API server behind it, is away for a moment.
 */
export async function served<T>(kind: Kind, server: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    throw isNotFound(thrown) && !namesObject(thrown) ? notServed(kind, server, thrown) : thrown;
  }
}

/** API servers name what they did not find (apimachinery: pkg/api/errors, NewNotFound); a path that nobody serves has no name. */
function namesObject({ status }: ApiError): boolean {
  return (status?.details?.name ?? "") !== "";
}

function notServed(kind: Kind, server: string, cause: ApiError): ApiError {
  const { method, path, status } = cause;
  const what = `${resourceName(kind)} in ${apiVersionOf(kind)}`;
  return new ApiError({
    message: `${method} ${path}: ${server} does not serve ${what}, or not this part of it`,
    code: 0,
    reason: "UnknownKind",
    method,
    path,
    status,
    cause,
  });
}

/** Whether an error may come from a path that is that of another scope or plural: not served, no such method there, or no namespace. */
export function isMisplaced(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError)) return false;
  const { code, reason } = thrown;
  return code === 400 || code === 405 || (code === 0 && misplaced.has(reason));
}

const misplaced: ReadonlySet<string> = new Set(["UnknownKind", "BadRequest"]);
