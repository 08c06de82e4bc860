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
  return async ({ response, path, query }, next) => {
    const answer = await source.respond(path, query);
    if (answer === undefined) return next();
    send(response, answer.status, answer.body, "text/plain; charset=utf-8");
  };
}
