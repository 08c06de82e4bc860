/** What a failure means for a watch. Pure. */

import { messageOf } from "../base/index.ts";
import { ApiError, parseStatus, retryAfterOf, type Status } from "../kube/index.ts";

/** A watch or list that ended in a way that is no answer of the server. */
export class WatchFailure extends Error {
  override readonly name = "WatchFailure";
  readonly reason: "Stalled" | "NoInitialEnd" | "ShortWatch" | "ListBroken" | "Restored";

  constructor(reason: WatchFailure["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What to do about a failure. */
export interface Verdict {
  /** As in WatchState. */
  readonly reason: string;
  readonly message: string;
  /** `backoff` grows with each failure, `slow` is for what a person must change, `never` for the end; a number is what the server asked for (ms). */
  readonly wait: "backoff" | "slow" | "never" | number;
  /** What it says of the position: keep it, ask first whether the server still stands behind it, list again from it, or list the newest. */
  readonly position: "keep" | "question" | "doubt" | "expire";
  /** A streamed list that failed like this may never work on this server. */
  readonly blamesStream: boolean;
  /** A live watch may end like this now and then: no news unless it happens again. */
  readonly passing: boolean;
}

const usual = { wait: "backoff", position: "keep", blamesStream: false, passing: false } as const;

/** Judges what was thrown while listing or watching. Never throws: nobody would survive it. */
export function judge(thrown: unknown): Verdict {
  try {
    return verdictOf(thrown);
  } catch {
    return { ...usual, reason: "BadAnswer", message: "what went wrong cannot be told" };
  }
}

function verdictOf(thrown: unknown): Verdict {
  const message = messageOf(thrown);
  if (thrown instanceof ApiError) return { ...judgeApiError(thrown), message };
  if (thrown instanceof WatchFailure) return { ...judgeFailure(thrown), message };
  // SyntaxError and RangeError of the framers: half a line, or an object that nobody can hold.
  return { ...usual, reason: "BadAnswer", message, position: "question", passing: true };
}

function judgeApiError(error: ApiError): Omit<Verdict, "message"> {
  const { reason } = error;
  if (isTooLarge(error)) return { ...usual, reason, position: "expire" };
  switch (error.code) {
    case 0:
      return {
        ...usual,
        reason,
        wait: reason === "Closed" ? "never" : "backoff",
        position: "question",
        blamesStream: reason === "Timeout",
        passing: reason === "Unreachable",
      };
    case 400:
    case 422:
      return { ...usual, reason, position: "doubt", blamesStream: true };
    case 403:
      return { ...usual, reason, wait: "slow" };
    case 404:
    case 405:
      return { ...usual, reason, wait: "slow", position: "doubt" };
    case 410:
      return { ...usual, reason, position: "expire", passing: true };
    default:
      return {
        ...usual,
        reason,
        wait: askedOf(error),
        position: error.code >= 500 ? "question" : "keep",
      };
  }
}

/** Only what is a time; how much of it is reasonable the watch knows. */
function askedOf({ retryAfter }: ApiError): Verdict["wait"] {
  return retryAfter !== undefined && retryAfter >= 0 ? retryAfter : "backoff";
}

function judgeFailure({ reason }: WatchFailure): Omit<Verdict, "message"> {
  if (reason === "Restored") return { ...usual, reason, position: "expire" };
  if (reason === "NoInitialEnd") return { ...usual, reason: "Stalled", blamesStream: true };
  const position = reason === "Stalled" ? "question" : "keep";
  return { ...usual, reason, position, passing: reason === "ShortWatch" || reason === "Stalled" };
}

/** The server has not come as far as our version (apimachinery: pkg/api/errors, NewTimeoutError with this cause). */
function isTooLarge({ status }: ApiError): boolean {
  return (status?.details?.causes ?? []).some(({ reason }) => reason === "ResourceVersionTooLarge");
}

/** The error for a Status that came inside of a stream, whose own answer was 200. Some servers leave out its kind. */
export function streamedError(value: unknown, path: string): ApiError {
  const claimed = typeof value === "object" && value !== null ? value : {};
  const status = parseStatus({ ...claimed, kind: "Status" }) ?? {};
  return new ApiError({
    message: `watch ${path}: ${status.message ?? "the server sent an error without a message"}`,
    code: isExpired(status) ? 410 : (status.code ?? 500),
    reason: status.reason ?? "InternalError",
    method: "GET",
    path,
    status,
    retryAfter: retryAfterOf(status),
  });
}

/** Some servers tell it by the reason alone (apimachinery: pkg/api/errors, IsResourceExpired and IsGone). */
function isExpired({ reason }: Status): boolean {
  return reason === "Expired" || reason === "Gone";
}
