/** What follows from the end of a run. Pure. */

import { PermanentError, TemporaryError } from "../base/index.ts";
import { ApiError, isNotFound, type Kind, parseKey } from "../kube/index.ts";
import type { ReconcileOutcome } from "../observe/index.ts";
import { Outdated } from "./finalizer.ts";
import { asksForMore, type Result, requeueAfter, requeueAt } from "./result.ts";
import { errorsIn, mostUrgent } from "./several-errors.ts";

/** When the key runs again, and what is told about the end of this run. */
export interface Verdict {
  readonly outcome: ReconcileOutcome;
  /** Milliseconds; `backoff` by the key's own series; undefined, without `at`, when something must change first. */
  readonly again: number | "backoff" | undefined;
  /** Wall time, where that comes before `again`. */
  readonly at?: number | undefined;
  /** At least this long, whatever the back-off says. */
  readonly atLeast?: number;
  /** But not longer than this, where a part of what failed asked for it. */
  readonly atMost?: number;
  readonly priority?: number | undefined;
  /** A conflict: counted, since only so many in a row are retried quietly. */
  readonly conflict?: boolean;
  readonly told?: {
    readonly level: "debug" | "warn" | "error";
    readonly message: string;
    readonly error: unknown;
    /** What a person can do. */
    readonly hint?: string;
    /** The trouble, where it is not the object's: it is told for one of those that meet it. */
    readonly shared?: string;
  };
}

/** What is known of the run that threw. */
export interface Situation {
  readonly kind: Kind;
  readonly key: string;
  /** Where the object is; a 404 of another server is not about it. */
  readonly server?: string | undefined;
  /** Conflicts of this key in a row before this run. */
  readonly conflicts: number;
  /** The controller was stopped at once. */
  readonly stopped: boolean;
  /** The run had taken too long, and why it was aborted. */
  readonly late?: Error | undefined;
}

/** Conflicts are normal between writers; a series of them is worth a line. So many take 0.6 s, in which a cache of a busy machine catches up. */
const QUIET_CONFLICTS = 8;

const TRIED_AGAIN = "reconcile will be tried again";

/** After a run that answered. Throws a TypeError for an answer that is none. */
export function accept(result: Result | undefined): Verdict {
  if (!asksForMore(result)) return { outcome: "success", again: undefined };
  const { requeueAfter: after, requeueAt: at, priority } = result;
  return {
    outcome: "requeue_after", // controller-runtime's name for a run that asks for another one
    again: after === undefined ? undefined : requeueAfter(after).requeueAfter,
    at: at === undefined ? undefined : requeueAt(at).requeueAt,
    priority,
  };
}

/** After a run that threw. Several errors in one are judged each by itself, and the most urgent of them decides. */
export function judge(thrown: unknown, situation: Situation): Verdict {
  if (situation.stopped) {
    const message = "reconcile was cut off by the stop of its controller";
    return {
      outcome: "requeue",
      again: undefined,
      told: { level: "debug", message, error: thrown },
    };
  }
  if (situation.late !== undefined) return failure(lateness(situation.late, thrown));
  const verdicts = errorsIn(thrown).map((error) => judgeOne(error, situation));
  return verdicts.length === 1 && verdicts[0] !== undefined
    ? verdicts[0]
    : mostUrgent(verdicts, thrown);
}

function judgeOne(thrown: unknown, situation: Situation): Verdict {
  if (thrown instanceof Outdated) return conflict(thrown, situation);
  if (thrown instanceof PermanentError) {
    const message = "reconcile failed until something changes";
    return {
      outcome: "terminal",
      again: undefined,
      told: { level: "error", message, error: thrown },
    };
  }
  if (thrown instanceof TemporaryError) {
    const told = {
      level: "warn",
      message: TRIED_AGAIN,
      error: thrown,
      ...(thrown.shared && { shared: thrown.message }),
    } as const;
    return { outcome: "error", again: thrown.delay ?? "backoff", told };
  }
  return thrown instanceof ApiError ? judgeApiError(thrown, situation) : failure(thrown);
}

function judgeApiError(error: ApiError, situation: Situation): Verdict {
  if (error.code === 409) return conflict(error, situation);
  if (isNotFound(error) && isAbout(error, situation)) {
    const message = "the object went while it was reconciled";
    return { outcome: "success", again: undefined, told: { level: "debug", message, error } };
  }
  if (error.code === 0 && silences.has(error.reason)) return unanswered(error);
  const base = failure(error, hintFor(error));
  return error.retryAfter === undefined ? base : { ...base, atLeast: error.retryAfter };
}

/** Reasons of attempts that a server did not answer. */
const silences: ReadonlySet<string> = new Set(["Unreachable", "Timeout"]);

/** A server that does not answer is no fault of the object, nor of its controller; all its requests meet the same. */
function unanswered(error: ApiError): Verdict {
  const shared = error.message.replace(`${error.method} ${error.path}: `, "");
  return {
    outcome: "error",
    again: "backoff",
    told: { level: "warn", message: TRIED_AGAIN, error, shared },
  };
}

/** What a person can do about an error. */
function hintFor(error: ApiError): string | undefined {
  if (error.code === 401) {
    return "the API server does not accept our credentials: check the kubeconfig or the service account's token";
  }
  if (error.code === 403) {
    return "a right is missing: add it to a role of the user or service account this process runs as";
  }
  return undefined;
}

/** The first retry comes at once, the others behind 5 ms, doubling to 320; after them it is a failure, but a warning. */
function conflict(error: Error, { conflicts }: Situation): Verdict {
  if (conflicts >= QUIET_CONFLICTS) {
    const message = "conflicts again and again, reconciling later"; // nobody's fault, so no error
    return {
      outcome: "error",
      again: "backoff",
      conflict: true,
      told: { level: "warn", message, error },
    };
  }
  const again = conflicts === 0 ? 0 : 5 * 2 ** (conflicts - 1);
  const told = { level: "debug", message: "conflict, reconciling again", error } as const;
  return { outcome: "requeue", again, conflict: true, told };
}

function failure(error: unknown, hint?: string): Verdict {
  const told = { level: "error", message: "reconcile failed", error } as const;
  return {
    outcome: "error",
    again: "backoff",
    told: hint === undefined ? told : { ...told, hint },
  };
}

/** Whatever was thrown after a time-out, the time-out is the reason. */
function lateness(late: Error, thrown: unknown): Error {
  return thrown === late ? late : new Error(late.message, { cause: thrown });
}

/** Whether an error is about the reconciled object itself, or one of its subresources. */
function isAbout({ path, server }: ApiError, { kind, key, server: its }: Situation): boolean {
  if (server !== undefined && its !== undefined && server !== its) return false;
  const { name, namespace } = parseKey(key);
  const group = kind.group === "" ? "/api" : `/apis/${kind.group}`;
  const within = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const own = `${group}/${kind.version}${within}/${kind.plural}/${name}`;
  return path === own || path.startsWith(`${own}/`) || path.startsWith(`${own}?`);
}
