/** Reads what API servers say of failures. Pure. */

import type { Status, StatusCause, StatusDetails } from "./errors.ts";

/** Milliseconds that a server may ask us to wait, at most: a number that somebody mistyped must not stop us for days. */
export const LONGEST_WAIT = 300_000;

/** The reason that stands for an HTTP status where nobody gives one (apimachinery: pkg/api/errors, NewGenericServerResponse). */
export const reasonsByCode: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/**
 * The Status in parsed JSON; undefined for what is none (its kind is another). It came from outside, perhaps from a proxy: a field that
 * is not of the type in apimachinery's metav1.Status is left out, so that what is there can be relied on. Never throws.
 */
export function parseStatus(value: unknown): Status | undefined {
  if (!isRecord(value) || value.kind !== "Status") return undefined;
  const { metadata, status, code, details } = value;
  return {
    ...texts(value, ["apiVersion", "message", "reason"]),
    kind: "Status",
    ...(isRecord(metadata) ? { metadata: texts(metadata, ["resourceVersion", "continue"]) } : {}),
    ...(status === "Success" || status === "Failure" ? { status } : {}),
    ...(isCount(code) ? { code } : {}),
    ...(isRecord(details) ? { details: detailsOf(details) } : {}),
  };
}

/** Milliseconds a Status asks to wait before the next attempt, 5 minutes at most; undefined when it asks for none. */
export function retryAfterOf(status: Status | undefined): number | undefined {
  const seconds = status?.details?.retryAfterSeconds;
  return seconds === undefined ? undefined : Math.min(seconds * 1_000, LONGEST_WAIT);
}

function detailsOf(details: Fields): StatusDetails {
  const { retryAfterSeconds, causes } = details;
  return {
    ...texts(details, ["name", "group", "kind", "uid"]),
    ...(isCount(retryAfterSeconds) ? { retryAfterSeconds } : {}),
    ...(Array.isArray(causes) ? { causes: causes.filter(isRecord).map(causeOf) } : {}),
  };
}

function causeOf(cause: Fields): StatusCause {
  return texts(cause, ["reason", "message", "field"]);
}

type Fields = Readonly<Record<string, unknown>>;

function texts<Name extends string>(
  fields: Fields,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const found: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string") found[name] = value;
  }
  return found;
}

/** JSON has no NaN, but 1e999 reads as Infinity. */
function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
