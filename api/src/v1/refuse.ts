/** Errors of /v1 as bytes. */

import { type Exchange, send } from "../stage.ts";
import { type Problem, problemOf } from "./problem.ts";

/** Answers with the problem that was thrown; nobody hears it whose caller has gone. Throws what is none, which is a defect of ours. */
export function refuseProblem({ response, signal, log }: Exchange, thrown: unknown): void {
  if (signal.aborted) return;
  const problem = problemOf(thrown);
  if (problem === undefined || response.headersSent) throw thrown;
  log.debug("refused", { status: problem.status, code: problem.code });
  send(response, problem.status, `${JSON.stringify(bodyOf(problem))}\n`, "application/json");
}

/** A problem as /v1 shows it (apiserver: pkg/handlers/error.go). */
export function bodyOf({ status, code, message, fieldName }: Problem): object {
  return { type: "error", links: {}, code, message, status, ...(fieldName && { fieldName }) };
}
