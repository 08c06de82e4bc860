/** What applySet throws when a part of it failed. */

import { messageOf } from "../base/index.ts";
import { type KubeObject, keyOf, type ObjectRef } from "../kube/index.ts";
import type { ApplyReport } from "./report.ts";

/** One object, or one kind, that could not be dealt with. */
export interface ApplyFailure {
  readonly verb: "apply" | "prune" | "list";
  /** `Kind namespace/name`, or the resource's name when the whole kind failed. */
  readonly what: string;
  readonly error: unknown;
  /** The object without marks that has the name, where the call does not adopt it. */
  readonly stranger?: KubeObject;
}

/** Thrown after everything else was tried. `errors` has each error, `failures` says what each was about, `report` what was done. */
export class ApplyError extends AggregateError {
  override readonly name = "ApplyError";
  readonly failures: readonly ApplyFailure[];
  readonly report: ApplyReport;

  constructor(failures: readonly ApplyFailure[], report: ApplyReport) {
    super(
      failures.map(({ error }) => error),
      messageFor(failures),
    );
    this.failures = failures;
    this.report = report;
  }
}

/** `Kind namespace/name`. */
export function nameOf(object: ObjectRef): string {
  return `${object.kind} ${keyOf(object)}`;
}

function messageFor(failures: readonly ApplyFailure[]): string {
  const shown = failures
    .slice(0, 3)
    .map(({ verb, what, error }) => `${verb} ${what}: ${messageOf(error)}`)
    .join("; ");
  return failures.length > 3 ? `${shown}; and ${failures.length - 3} more` : shown;
}
