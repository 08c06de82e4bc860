/** The one error of this layer. */

/** A Kubernetes Status, as API servers answer failures. */
export interface Status {
  readonly apiVersion?: string;
  readonly kind?: "Status";
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly status?: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
}

/** What a Status says besides its reason. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly StatusCause[];
}

/** One cause of a failure, for example a field that is invalid. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/**
 * Reasons of errors without an answer (code 0): `Unreachable` (no connection, or it was lost), `Timeout`, `Untrusted`
 * (TLS or the server's certificate), `BadAnswer` (not what an API server says), `NoCredentials`, `Closed`, `BadRequest`
 * (the request could not be formed, nothing was sent), `UnknownKind` (no such kind is served).
 */
export type LocalReason =
  | "Unreachable"
  | "Timeout"
  | "Untrusted"
  | "BadAnswer"
  | "NoCredentials"
  | "Closed"
  | "BadRequest"
  | "UnknownKind";

/** What an ApiError is made of. */
export interface ApiErrorInit extends ErrorOptions {
  readonly message: string;
  readonly code: number;
  readonly reason: string;
  readonly method: string;
  readonly path: string;
  readonly server?: string | undefined;
  readonly status?: Status | undefined;
  readonly retryAfter?: number | undefined;
  readonly unsent?: boolean | undefined;
}

/**
 * Thrown when a request to an API server fails. `message` says what was asked, of whom and why it failed; it never holds
 * credentials or request bodies.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0 when no usable answer came. */
  readonly code: number;
  /** Kubernetes' reason (`NotFound`, `Conflict`, ...) or, at code 0, one of LocalReason. */
  readonly reason: string;
  readonly method: string;
  readonly path: string;
  /** Which server answered; undefined when none did. */
  readonly server: string | undefined;
  /** The answer, when it was a Status. */
  readonly status: Status | undefined;
  /** Milliseconds the server asks to wait before the next attempt. */
  readonly retryAfter: number | undefined;
  /** At code 0: the request was surely not carried out, for it never reached the server, or that did not take our credentials. */
  readonly unsent: boolean;

  constructor(init: ApiErrorInit) {
    super(init.message, init.cause === undefined ? {} : { cause: init.cause });
    this.code = init.code;
    this.reason = init.reason;
    this.method = init.method;
    this.path = init.path;
    this.server = init.server;
    this.status = init.status;
    this.retryAfter = init.retryAfter;
    this.unsent = init.unsent ?? false;
  }
}

const hasCode =
  (code: number) =>
  (thrown: unknown): thrown is ApiError =>
    thrown instanceof ApiError && thrown.code === code;

/** Tells one kind of ApiError from everything else that can be thrown. */
export type ApiErrorGuard = (thrown: unknown) => thrown is ApiError;

/** The request or its object is malformed (400). */
export const isBadRequest: ApiErrorGuard = hasCode(400);
/** The server does not know who asks (401), also after fresh credentials. */
export const isUnauthorized: ApiErrorGuard = hasCode(401);
/** Who asks may not do this (403). */
export const isForbidden: ApiErrorGuard = hasCode(403);
/**
 * There is no such object (404). From verbs on objects it says just that: where not even their kind is served they reject with `UnknownKind`.
 * A list, a deletecollection and raw requests reject with it for kinds that are not served, too.
 */
export const isNotFound: ApiErrorGuard = hasCode(404);
/** The continue token or resourceVersion is too old (410). */
export const isGone: ApiErrorGuard = hasCode(410);
/** The object breaks its schema or a validation (422). */
export const isInvalid: ApiErrorGuard = hasCode(422);
/** The server asks to come back later (429). */
export const isTooManyRequests: ApiErrorGuard = hasCode(429);

/** The object to create exists already (409, AlreadyExists). */
export function isAlreadyExists(thrown: unknown): thrown is ApiError {
  return hasCode(409)(thrown) && thrown.reason === "AlreadyExists";
}

/** The object changed meanwhile, or a precondition or another field manager is in the way (409, but not AlreadyExists). */
export function isConflict(thrown: unknown): thrown is ApiError {
  return hasCode(409)(thrown) && thrown.reason !== "AlreadyExists";
}

/** No usable answer came: not reached, timed out, not trusted, or not an API server. */
export function isUnanswered(thrown: unknown): thrown is ApiError {
  return hasCode(0)(thrown);
}
