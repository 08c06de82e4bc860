/** The shape every stage of the pipeline has. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "kopf-ts";
import type { Login } from "./caller.ts";

/** One request on its way through the stages. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names the request in logs and in the X-Request-Id header. */
  readonly id: string;
  readonly log: Logger;
  /** Who asks: nobody, until authentication has said more. */
  login: Login;
}

/** Answers the request, or leaves it to the next stage. */
export type Stage = (exchange: Exchange, next: () => Promise<void>) => Promise<void>;

/** One stage out of many, run in order; a stage that does not call `next` ends the request. */
export function compose(stages: readonly Stage[]): (exchange: Exchange) => Promise<void> {
  const run = async (index: number, exchange: Exchange): Promise<void> => {
    await stages[index]?.(exchange, () => run(index + 1, exchange));
  };
  return (exchange) => run(0, exchange);
}

/** Sends a whole answer. */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  contentType: string,
): void {
  response.writeHead(status, {
    "Content-Type": contentType,
    "Content-Length": Buffer.byteLength(body),
    "X-Content-Type-Options": "nosniff",
  });
  response.end(body);
}

/** Refuses a request in Rancher's `type: error` shape. */
export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  const body = { type: "error", status, code, message };
  send(response, status, `${JSON.stringify(body)}\n`, "application/json");
}
