import { isRead } from "../methods/index.ts";
import { type Stage, send } from "../stage.ts";

/** Where the answers of /healthz and /readyz come from. */
export interface HealthSource {
  /** Answers `/healthz`, `/readyz` and the checks below them; undefined for any other path. */
  respond(
    path: string,
    query: URLSearchParams,
  ): Promise<{ readonly status: number; readonly body: string }> | undefined;
}

/** Serves /healthz and /readyz, in the form of the kube-apiserver. */
export function health(source: HealthSource): Stage {
  return async (exchange, next) => {
    const { response, path, query } = exchange;
    const answer = await source.respond(path, query);
    if (answer === undefined) return next();
    if (isRead(exchange)) send(response, answer.status, answer.body, "text/plain; charset=utf-8");
  };
}
