/** Failures as Kubernetes tells them. */

import { type Exchange, send } from "../stage.ts";

/** What went wrong, for clients of Kubernetes. */
export interface Failure {
  readonly code: number;
  /** Kubernetes' word for it. */
  readonly reason: string;
  readonly message: string;
  /** Seconds after which it is worth trying again; clients of Kubernetes do so by themselves then, whatever the method. */
  readonly retryAfter?: number;
}

/** Nobody that we know asks for something of the API server. */
export const unauthorized: Failure = {
  code: 401,
  reason: "Unauthorized",
  message: "not authorized",
};

/** See isForged. */
export const forged: Failure = {
  code: 403,
  reason: "Forbidden",
  message: "a page of another origin may not write with the cookie of a session",
};

/** Answers with a Status. */
export function refuseAsStatus({ response }: Pick<Exchange, "response">, failure: Failure): void {
  const { code, reason, message, retryAfter } = failure;
  const details = retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
  if (retryAfter !== undefined) response.setHeader("Retry-After", String(retryAfter));
  const body = { ...status, message, reason, ...details, code };
  send(response, code, `${JSON.stringify(body)}\n`, "application/json");
}
