/**
 * The shape every stage of the pipeline has.
 *
 * A request that asks to upgrade its connection (websocket, SPDY) runs through the same stages. Its `response` is a real one on that
 * connection: a stage refuses it, sets headers and cookies, as of any other, and the connection ends behind the answer. Whoever serves it
 * calls `exchange.upgrade.accept()` once; then the connection is theirs, and `response` only remembers its headers, of which they write
 * those that belong in their 101.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "kopf-ts";
import type { Login } from "./caller.ts";

/** One request on its way through the stages. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path without the query; of the server's own cluster, without the prefix by which it may be called. */
  path: string;
  /** Not to be changed: others that ask for the same may have the same ones. */
  readonly query: URLSearchParams;
  /** Names the request in logs and in the X-Request-Id header. */
  readonly id: string;
  readonly log: Logger;
  /** Who asks: nobody, until authentication has said more. */
  login: Login;
  /** Of a request that asks to change the protocol of its connection; undefined for all others. */
  readonly upgrade: Upgrade | undefined;
  /** Aborts when the caller has gone, or was cut off, before the answer was complete; of an accepted upgrade: when its connection is closed. */
  readonly signal: AbortSignal;
  /** Aborts when the server begins to stop. What has no end of its own (watches, sockets) ends then, within a grace of seconds. */
  readonly stopping: AbortSignal;
}

/** How a connection is taken over. */
export interface Upgrade {
  /** What the client wants, in lower case: `websocket`, `spdy/3.1`. */
  readonly protocol: string;
  /**
   * Hands the connection over, as a raw stream that has sent nothing yet, and what the client has sent behind its request. The caller writes
   * the 101 (`ws` does so in handleUpgrade) and closes it; the listener destroys it when the grace of a stop is over. Throws when an answer
   * has begun, and the second time.
   */
  accept(): Upgraded;
}

/** A connection that is no HTTP any more. Errors of it are swallowed unless somebody listens; `close` always comes. */
export interface Upgraded {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Makes it the response's again, for the answer of a request that turns out to be malformed; nothing may have been sent. */
  giveBack(): void;
}

/** Whether the connection of a response was handed over. */
export function isUpgraded({ statusCode }: Pick<ServerResponse, "statusCode">): boolean {
  return statusCode === 101;
}

/** What the client was answered; 499, as nginx has it, where the connection ended before an answer had begun. */
export function statusOf(response: ServerResponse): number {
  return response.headersSent || isUpgraded(response) ? response.statusCode : 499;
}

/** Whether a path is /v1 or below it. */
export function isV1(path: string): boolean {
  return path === "/v1" || path.startsWith("/v1/");
}

/**
 * Answers the request, or leaves it to the next stage and returns the promise of that: one that is async to do so would let every request wait for some microtasks more. Rejects or
 * throws Problems, which are answered, and what is a defect.
 */
export type Stage = (exchange: Exchange, next: () => Promise<void>) => Promise<void>;

const done = Promise.resolve();

/** One stage out of many, run in order; a stage that does not call `next` ends the request. */
export function compose(stages: readonly Stage[]): (exchange: Exchange) => Promise<void> {
  const run = (index: number, exchange: Exchange): Promise<void> =>
    stages[index]?.(exchange, () => run(index + 1, exchange)) ?? done;
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
  const body = { type: "error", links: {}, status, code, message };
  send(response, status, `${JSON.stringify(body)}\n`, "application/json");
}
