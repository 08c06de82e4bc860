// The smallest client that fixtures and readiness checks need; kopf-ts, which is above, has the real one.
import { Agent, request as send } from "node:https";
import type { KeyPair } from "./pki.ts";

/** An answer of the API server. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** One request; milliseconds. */
export interface Call {
  /** Sent as JSON unless it is text already. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to one API server over kept-alive connections. */
export class Api {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, ca: string, { cert, key }: KeyPair) {
    this.#url = url;
    this.#agent = new Agent({ ca, cert, key, keepAlive: true, maxSockets: 16 });
  }

  /** Resolves with the answer whatever its status; rejects if there is none within `timeout` (10 s). */
  async request(method: string, path: string, call: Call = {}): Promise<Reply> {
    const { body, contentType = "application/json", headers, timeout = 10_000, signal } = call;
    const deadline = AbortSignal.timeout(timeout);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const request = send(new URL(path, this.#url), {
      method,
      agent: this.#agent,
      headers: { ...(body !== undefined && { "content-type": contentType }), ...headers },
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    const fail = (cause: Error): void => {
      const late = `no answer to ${method} ${path} within ${timeout / 1000} s`;
      reject(deadline.aborted ? new Error(late, { cause }) : cause);
    };
    request.on("error", fail);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", fail);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    request.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
    return promise;
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }
}
