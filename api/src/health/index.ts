import type { HealthAnswer } from "kopf-ts";
import { isRead } from "../methods/index.ts";
import { type Exchange, type Stage, send } from "../stage.ts";

/** Where the answers of /healthz and /readyz come from. */
export interface HealthSource {
  /** Answers `/healthz`, `/readyz` and the checks below them; undefined for any other path. */
  respond(path: string, query: URLSearchParams): Promise<HealthAnswer> | undefined;
}

/** Serves /healthz and /readyz, in the form of the kube-apiserver. */
export function health(source: HealthSource): Stage {
  return (exchange, next) => {
    const asked = source.respond(exchange.path, exchange.query);
    return asked === undefined ? next() : answer(exchange, asked);
  };
}

async function answer(exchange: Exchange, asked: Promise<HealthAnswer>): Promise<void> {
  const { status, body } = await asked;
  if (isRead(exchange)) send(exchange.response, status, body, "text/plain; charset=utf-8");
}
