import { randomUUID } from "node:crypto";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Clock, Logger } from "kopf-ts";
import { nobody } from "../caller.ts";
import { type Exchange, refuse } from "../stage.ts";
import type { ServingCertificate } from "./certificate.ts";

/** Options of `listen`. */
export interface ListenOptions {
  /** Address to bind; 127.0.0.1 unless told. */
  readonly host?: string;
  readonly httpsPort: number;
  /** Redirects to https; no listener when absent. */
  readonly httpPort?: number;
  readonly certificate: ServingCertificate;
  readonly handle: (exchange: Exchange) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The open listeners. */
export interface Listener extends AsyncDisposable {
  readonly httpsPort: number;
  readonly httpPort: number | undefined;
  /** Stops accepting, lets requests in work end within `grace` milliseconds, then cuts them. */
  close(grace?: number): Promise<void>;
}

/** A port that somebody else holds, or that this user may not bind. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Serves `handle` over HTTPS and redirects HTTP to it. Throws ListenError when a port cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { certificate, httpPort, httpsPort } = options;
  const https = createHttpsServer({ ...certificate }, answer(options));
  await bind(https, httpsPort, options, "--https-listen-port");
  const http = httpPort === undefined ? undefined : createHttpServer(redirectTo(portOf(https)));
  try {
    if (http !== undefined) await bind(http, httpPort ?? 0, options, "--http-listen-port");
  } catch (cause) {
    https.close();
    throw cause;
  }

  const servers = http === undefined ? [https] : [https, http];
  const close = async (grace = 5000): Promise<void> => {
    await Promise.all(servers.map((server) => closeServer(server, grace, options.clock)));
  };
  return {
    httpsPort: portOf(https),
    httpPort: http && portOf(http),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function answer({ handle, log }: ListenOptions): RequestListener {
  return (request, response) => {
    const id = randomUUID();
    response.setHeader("X-Request-Id", id);
    response.once("close", () => closeIfStopping(request.socket));
    const target = URL.parse(request.url ?? "/", "https://localhost");
    if (target === null) return refuse(response, 400, "BadRequest", "malformed request target");
    const { pathname: path, searchParams: query } = target;
    const exchange: Exchange = {
      ...{ request, response, path, query, id },
      log: log.child({ requestId: id }),
      login: nobody,
    };
    handle(exchange).catch((error: unknown) => {
      exchange.log.error("request failed", { error, path });
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "ServerError", "internal error");
    });
  };
}

/** Ends a kept-alive connection whose last request was in work when the listener closed. */
function closeIfStopping(socket: Socket & { readonly server?: Server }): void {
  if (socket.server?.listening === false) socket.end();
}

function redirectTo(httpsPort: number): RequestListener {
  return (request, response) => {
    const host = (request.headers.host ?? "localhost").replace(/:\d+$/, "");
    response.writeHead(308, {
      Location: `https://${host}:${httpsPort}${request.url ?? "/"}`,
      "X-Request-Id": randomUUID(),
    });
    response.end();
  };
}

/** Errors before it listens refuse the port; later ones (a connection that cannot be accepted) are told and survived. */
async function bind(
  server: Server,
  port: number,
  { host = "127.0.0.1", log }: ListenOptions,
  flag: string,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const refused = (cause: NodeJS.ErrnoException): void => {
      const why = cause.code === "EADDRINUSE" ? "is in use" : `cannot be bound (${cause.code})`;
      const message = `port ${port} on ${host} ${why}; choose another with ${flag}`;
      reject(new ListenError(message, { cause }));
    };
    server.once("error", refused);
    server.listen(port, host, () => {
      server.off("error", refused);
      resolve();
    });
  });
  server.on("error", (error) => log.error("cannot accept a connection", { error }));
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo | null;
  return address?.port ?? 0;
}

async function closeServer(server: Server, grace: number, clock: Clock): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const timer = clock.after(grace, () => server.closeAllConnections());
  await closed;
  timer.cancel();
}
