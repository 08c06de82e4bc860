/** The HTTP server for what machines ask of a process: /metrics, /healthz, /livez, /readyz. */

import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "../base/index.ts";
import { type HealthAnswer, type HealthChecks, reasonOf } from "./health.ts";
import type { Metrics } from "./metrics.ts";

/** Options of serveMetrics; what is absent answers 404. */
export interface MetricsServerOptions {
  /** `host:port`, `:port` for every address, `[v6]:port`; port 0 picks a free one. */
  readonly address: string;
  readonly metrics?: Metrics;
  readonly health?: HealthChecks;
}

/** A server that listens. */
export interface MetricsServer {
  /** Where it listens, with the port it got: `http://127.0.0.1:9108`. */
  readonly url: string;
  /** Resolves once the signal has aborted and the last connection is closed. */
  readonly closed: Promise<void>;
}

/**
 * Listens until the signal aborts, then closes every connection; one that aborts while it binds ends it right after. Rejects with a message
 * that names the address when it is malformed, in use or not allowed. Takes GET and HEAD only.
 */
export async function serveMetrics(
  options: MetricsServerOptions,
  signal: AbortSignal,
): Promise<MetricsServer> {
  signal.throwIfAborted();
  // An import of node:http would touch all it exports, WebSocket included, and load Node's own undici: 35 ms and 15 MB in every process.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer(listener(options));
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await listen(server, options.address);
  const closed = once(server, "close").then(() => undefined);
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const url = urlOf(server);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return { url, closed };
}

/** Splits `host:port`; throws for anything else. */
export function parseAddress(address: string): { readonly host?: string; readonly port: number } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new TypeError(`"${address}" is not an address of the form host:port`);
  }
  const host = match[1] ?? match[2] ?? "";
  return host === "" ? { port } : { host, port };
}

async function listen(server: Server, address: string): Promise<void> {
  const { host, port } = parseAddress(address);
  server.listen(host === undefined ? { port } : { host, port });
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new Error(`cannot serve metrics and health on ${address}: ${adviceFor(cause)}`, {
      cause,
    });
  }
}

function adviceFor(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") return "another process listens there; choose another address";
  if (code === "EACCES") return "ports below 1024 need privileges; choose another port";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return "this machine has no such address";
  return messageOf(cause);
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo; // it listens on TCP
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function listener(options: MetricsServerOptions): RequestListener {
  return (request, response) => {
    answer(request, response, options).catch((thrown: unknown) => {
      if (response.headersSent) response.destroy();
      else send(request, response, { status: 500, body: `${reasonOf(thrown)}\n` });
    });
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { metrics, health }: MetricsServerOptions,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return send(request, response, { status: 405, body: "only GET and HEAD\n" });
  }
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  if (path === "/metrics" && metrics !== undefined) {
    const body = await metrics.text();
    return send(request, response, { status: 200, body }, metrics.contentType);
  }
  const found = await health?.respond(path, new URLSearchParams(query));
  return send(request, response, found ?? { status: 404, body: "not found\n" });
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: HealthAnswer,
  contentType = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, {
    "Content-Type": contentType,
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
