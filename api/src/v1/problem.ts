/** What /v1 answers where it cannot do what was asked (apiserver: pkg/handlers/error.go; wrangler: pkg/schemas/validation). */

import { ApiError } from "kopf-ts";

/** Codes that /v1 itself answers, and their status; what an API server said keeps its own reason as code. */
export const codes = {
  Unauthorized: 401,
  PermissionDenied: 403,
  NotFound: 404,
  ActionNotAvailable: 404,
  MethodNotAllowed: 405,
  RequestEntityTooLarge: 413,
  URITooLong: 414,
  UnsupportedMediaType: 415,
  InvalidCSRFToken: 422,
  InvalidAction: 422,
  InvalidBodyContent: 422,
  InvalidFormat: 422,
  InvalidOption: 422,
  MissingRequired: 422,
  TooManyRequests: 429,
  ServerError: 500,
  ClusterUnavailable: 503,
  SchemasNotRefreshed: 503,
} as const;

/** One of them. */
export type Code = keyof typeof codes;

/** An answer that is an error: `{type: "error", status, code, message, fieldName?}`. The message is for the caller and names what is wrong. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: string;
  /** The parameter or field that is wrong. */
  readonly fieldName: string | undefined;

  constructor(status: number, code: string, message: string, fieldName?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.fieldName = fieldName;
  }
}

/** A problem with a code of our own. */
export function problem(code: Code, message: string, fieldName?: string): Problem {
  return new Problem(codes[code], code, message, fieldName);
}

/** The problem of a type that is not served as a list (steve: pkg/stores/sqlproxy/proxy_store.go, canList). */
export function notListable(typeId: string): Problem {
  return problem("MethodNotAllowed", `resource ${typeId} is not a listable resource`);
}

/** The problem that something thrown is to the caller; undefined for a defect of ours, of which nothing is told. */
export function problemOf(thrown: unknown): Problem | undefined {
  if (thrown instanceof Problem) return thrown;
  if (!(thrown instanceof ApiError)) return undefined;
  const { code, reason, message, status } = thrown;
  if (code < 400) return problem("ClusterUnavailable", "the cluster does not answer");
  return new Problem(code, reason || "ServerError", status?.message ?? message, undefined, thrown);
}
