/** Errors of /v1 as bytes. */

import { type Exchange, isV1, send } from "../stage.ts";
import { formOf } from "./answers/form.ts";
import { toYaml } from "./answers/yaml-text.ts";
import { type Problem, problemOf } from "./problem.ts";

/** Answers with the problem that was thrown; nobody hears it whose caller has gone. Throws what is none, which is a defect of ours. */
export function refuseProblem(exchange: Exchange, thrown: unknown): void {
  const { response, signal, log } = exchange;
  if (signal.aborted) return;
  const problem = problemOf(thrown);
  if (problem === undefined || response.headersSent) throw thrown;
  log.debug("refused", { status: problem.status, code: problem.code });
  sendProblem(exchange, problem);
}

/** Sends a problem: below /v1 in the form that the caller wants, elsewhere as JSON. */
export function sendProblem(exchange: Exchange, problem: Problem): void {
  const form = isV1(exchange.path) ? formOf(exchange) : "json";
  const json = `${JSON.stringify(bodyOf(problem))}\n`;
  const body = form === "yaml" ? String(toYaml(Buffer.from(json))) : json;
  send(exchange.response, problem.status, body, `application/${form}`);
}

/** A problem as /v1 shows it (apiserver: pkg/handlers/error.go). */
function bodyOf({ status, code, message, fieldName }: Problem): object {
  return { type: "error", links: {}, code, message, status, ...(fieldName && { fieldName }) };
}
