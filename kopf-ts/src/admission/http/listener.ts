/** The HTTPS server that API servers ask. */

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { messageOf } from "../../base/index.ts";
import type { KeyPair } from "../../certificates/index.ts";
import type { WebhookMetrics } from "../../observe/index.ts";
import type { Hook } from "../hook.ts";
import { limitOf } from "../review/deadline.ts";
import { type Answer, type AnswerDeps, answer, textAnswer } from "./answer.ts";
import { Call } from "./call.ts";

/** What a listener works with. */
export interface ListenerDeps extends AnswerDeps {
  readonly hooks: ReadonlyMap<string, Hook>;
  readonly metricsOf: (path: string) => WebhookMetrics | undefined;
}

/** Where to listen. */
export interface ListenAddress {
  /** Every address unless told. */
  readonly host?: string | undefined;
  /** 0 picks a free one. */
  readonly port: number;
}

/** Idle connections of API servers end by themselves after 90 s (client-go: transport); closing one from here could cut a request off. */
const idle = 120_000;

/**
 * Answers every request, whatever it is. Guarantees: requests in work end before `close` does, within its grace; a new certificate cuts
 * nobody off: connections keep the one that they began with.
 */
export class Listener {
  readonly #deps: ListenerDeps;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #metrics = new Map<string, WebhookMetrics | undefined>();
  #closing = false;

  constructor(deps: ListenerDeps, pair: KeyPair) {
    this.#deps = deps;
    for (const { path } of deps.hooks.values()) this.#metrics.set(path, deps.metricsOf(path));
    // As in observe: an import would load all of node:http, in processes too that serve no webhook.
    const { createServer } = process.getBuiltinModule("node:https");
    const options = { ...pair, minVersion: "TLSv1.2", handshakeTimeout: 10_000 } as const;
    this.#server = createServer(options, (request, response) => this.#handle(request, response));
    this.#server.keepAliveTimeout = idle;
    this.#server.headersTimeout = 10_000;
    this.#server.requestTimeout = 60_000;
    this.#server.on("connection", (socket) => this.#keep(socket));
    this.#server.on("tlsClientError", (error) =>
      deps.log.debug("a TLS handshake failed", { reason: messageOf(error) }),
    );
  }

  /** Resolves with the port. Rejects with a message that names the address when it cannot be had. */
  async listen({ host, port }: ListenAddress): Promise<number> {
    this.#server.listen(host === undefined ? { port } : { host, port });
    try {
      await once(this.#server, "listening");
    } catch (cause) {
      const where = `${host ?? "*"}:${port}`;
      throw new Error(`cannot serve webhooks on ${where}: ${messageOf(cause)}`, { cause });
    }
    this.#server.on("error", (error) => this.#deps.log.error("cannot accept", { error }));
    return (this.#server.address() as AddressInfo).port; // it listens on TCP
  }

  /** Connections from now on get this certificate. Throws when it is none. */
  present({ cert, key }: KeyPair): void {
    this.#server.setSecureContext({ cert, key, minVersion: "TLSv1.2" });
  }

  get listening(): boolean {
    return this.#server.listening;
  }

  /** Takes nothing new; resolves when what is in work has been answered, or after `grace` milliseconds. */
  async close(grace: number): Promise<void> {
    this.#closing = true;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    const timer = this.#deps.clock.after(grace, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    timer.cancel();
  }

  /** node:https forgets connections until their handshake is done. */
  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    response.on("error", () => undefined); // whoever asked has gone
    request.on("error", () => undefined);
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    const hook = this.#deps.hooks.get(path);
    const refusal = hook === undefined ? notFound : refusalOf(request);
    if (hook === undefined || refusal !== undefined)
      this.#send(request, response, refusal ?? notFound);
    else void this.#serve(hook, query, request, response);
  }

  async #serve(
    hook: Hook,
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { clock } = this.#deps;
    const metrics = this.#metrics.get(hook.path);
    const begin = clock.monotonic();
    metrics?.started();
    using call = new Call(response, clock, limitOf(new URLSearchParams(query).get("timeout")));
    const answered = await answer(hook, request, call, this.#deps);
    this.#send(request, response, answered);
    metrics?.finished(answered.status, clock.monotonic() - begin);
  }

  /** What is left of a request is read and dropped: who is still sending would not look at an answer, and lose it with the connection. */
  #send(request: IncomingMessage, response: ServerResponse, { status, type, body }: Answer): void {
    response.writeHead(status, {
      "Content-Type": type,
      "Content-Length": Buffer.byteLength(body),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...(status === 405 && { Allow: "POST" }),
      ...(this.#closing && { Connection: "close" }),
    });
    response.end(body);
    request.resume();
  }
}

const notFound: Answer = textAnswer(404, "no webhook has this path");

function refusalOf({ method, headers }: IncomingMessage): Answer | undefined {
  if (method !== "POST") return textAnswer(405, "AdmissionReviews are sent by POST");
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json") return undefined;
  return textAnswer(415, "an AdmissionReview is application/json");
}
