/** From what node:http gives to an Exchange, and from what a stage throws to an answer. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "kopf-ts";
import { type Login, nobody } from "../caller.ts";
import { type Exchange, isUpgraded, refuse, type Upgrade } from "../stage.ts";
import { problemOf } from "../v1/problem.ts";
import { sendProblem } from "../v1/refuse.ts";
import { isCut } from "./over.ts";
import { targetOf } from "./target.ts";

/** What requests are answered with. */
export interface Answering {
  readonly handle: (exchange: Exchange) => Promise<void>;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** One reason for all: making an error costs more than most requests. */
const gone = new DOMException("the caller has gone", "AbortError");

/** Answers a request, whatever it is. Never throws. */
export function answer(
  request: IncomingMessage,
  response: ServerResponse,
  upgrade: Upgrade | undefined,
  { handle, log, stopping }: Answering,
): void {
  const id = randomUUID();
  response.setHeader("X-Request-Id", id);
  request.on("error", () => undefined); // who sent it has gone
  response.on("error", () => undefined);
  const target = targetOf(request);
  if ("status" in target) {
    refuse(response, target.status, target.code, target.message);
    return;
  }
  const { pathname: path, searchParams: query } = target;
  const exchange = new Asked({ request, response, upgrade, path, query, id, stopping }, log);
  const work = async (): Promise<void> => handle(exchange); // a stage that throws before its first await rejects as well
  work().catch((error: unknown) => failed(exchange, error));
}

/** What is known of a request when it comes. */
type Known = Omit<Exchange, "log" | "login" | "signal">;

/**
 * A request that is answered. Its logger and its signal are made when somebody asks for them. (It is a class: V8 makes a hidden class of its own for each object that is written
 * with getters, and with it keeps all that they refer to until it collects all garbage.)
 */
class Asked implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: Upgrade | undefined;
  path: string;
  readonly query: URLSearchParams;
  readonly id: string;
  readonly stopping: AbortSignal;
  login: Login = nobody;
  readonly #parentLog: Logger;
  #log: Logger | undefined;
  #end: AbortController | undefined;

  constructor({ request, response, upgrade, path, query, id, stopping }: Known, parentLog: Logger) {
    this.request = request;
    this.response = response;
    this.upgrade = upgrade;
    this.path = path;
    this.query = query;
    this.id = id;
    this.stopping = stopping;
    this.#parentLog = parentLog;
    response.on("close", () => {
      if (isCut(response)) this.#end?.abort(gone);
    });
  }

  get log(): Logger {
    this.#log ??= this.#parentLog.child({ requestId: this.id });
    return this.#log;
  }

  get signal(): AbortSignal {
    if (this.#end === undefined) {
      this.#end = new AbortController();
      if (isCut(this.response)) this.#end.abort(gone);
    }
    return this.#end.signal;
  }
}

/**
 * A Problem is the caller's; anything else is ours, and of it the caller learns nothing. Of callers that have gone nobody needs to know. Where an
 * answer has begun, or the connection is no HTTP any more, all that can be told is its end.
 */
function failed(exchange: Exchange, error: unknown): void {
  const { request, response, path, log } = exchange;
  const problem = problemOf(error);
  if (response.destroyed || request.socket.destroyed)
    log.debug("request ended early", { error, path });
  else if (problem === undefined) log.error("request failed", { error, path });
  if (isUpgraded(response)) request.socket.destroy();
  else if (response.headersSent) response.destroy();
  else if (problem === undefined) refuse(response, 500, "ServerError", "internal error");
  else sendProblem(exchange, problem);
}
