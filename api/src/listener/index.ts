import { randomUUID } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type Clock, type Logger, messageOf } from "kopf-ts";
import { joinHeads } from "../answer-room.ts";
import { type Exchange, refuse } from "../stage.ts";
import type { ServingCertificate } from "./certificate.ts";
import { Connections } from "./connections.ts";
import { type Answering, answer } from "./exchange.ts";
import { isGone, refuseMalformed, refuseTunnel } from "./malformed.ts";
import { redirect } from "./redirect.ts";
import { type Tls, usualTls } from "./tls.ts";
import { answerUpgrade, asksToUpgrade, hidesBody } from "./upgrade.ts";

/** Options of `listen`. */
export interface ListenOptions {
  /** Address to bind; 127.0.0.1 unless told. */
  readonly host?: string;
  readonly httpsPort: number;
  /** Redirects to https; no listener when absent. */
  readonly httpPort?: number;
  readonly certificate: ServingCertificate;
  /** As `tls-min-version` and `tls-ciphers` have it by default, unless told. */
  readonly tls?: Tls;
  readonly handle: (exchange: Exchange) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<Limits>;
}

/** The open listeners. */
export interface Listener extends AsyncDisposable {
  readonly httpsPort: number;
  readonly httpPort: number | undefined;
  /** Connections from now on get this certificate; those that are open keep theirs. Throws when it is none. */
  present(certificate: ServingCertificate): void;
  /** Connections from now on speak this TLS; those that are open keep theirs. Throws when OpenSSL has none of it. */
  speak(tls: Tls): void;
  /** Stops accepting, lets requests in work end within `grace` milliseconds, then cuts them. */
  close(grace?: number): Promise<void>;
}

/** A port that somebody else holds, or that this user may not bind. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** How long clients may take and how much they may send before it is said what for; milliseconds and bytes. */
export interface Limits {
  readonly maxHeaderSize: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** Longer than load balancers keep an idle connection (60 s): closing one from here could cut a request off. */
  readonly keepAliveTimeout: number;
  /** Of somebody who does not take an answer. */
  readonly longestStall: number;
}

const usualLimits: Limits = {
  maxHeaderSize: 128 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 75_000,
  longestStall: 60_000,
};
/** TCP asks whether clients are still there: those of a watch, or of an exec, may have nothing to say for hours. */
const probes = { keepAlive: true, keepAliveInitialDelay: 30_000 } as const;
const handshakeTimeout = 20_000;

/** Serves `handle` over HTTPS and redirects HTTP to it. Throws ListenError when a port cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { certificate, httpPort, httpsPort, clock, log, handle } = options;
  const limits = { ...usualLimits, ...options.limits };
  const own = { requireHostHeader: false, shouldUpgradeCallback: asksToUpgrade }; // a host is looked for where others are refused, with an answer that says so
  const http1 = { ...limits, ...probes, ...own };
  const stopping = new AbortController();
  const serving = { handle, log, stopping: stopping.signal, longestStall: limits.longestStall };
  let secure: ServingCertificate & Tls = { ...usualTls, ...options.tls, ...certificate };
  const https = createHttpsServer({ ...http1, handshakeTimeout, ...secure });
  const http = httpPort === undefined ? undefined : createHttpServer(http1);
  https.on("secureConnection", joinHeads);
  const connections = [serve(https, serving, (_, __, go) => go())];
  await bind(https, httpsPort, options, "--https-listen-port");
  if (http !== undefined) {
    connections.push(
      serve(
        http,
        serving,
        redirect(portOf(https), () => portOf(http)),
      ),
    );
    await bind(http, httpPort ?? 0, options, "--http-listen-port").catch((cause: unknown) => {
      https.close();
      throw cause;
    });
  }
  https.on("tlsClientError", (error) =>
    log.debug("a TLS handshake failed", { reason: messageOf(error) }),
  );

  const change = (next: Partial<ServingCertificate & Tls>): void => {
    const changed = { ...secure, ...next };
    https.setSecureContext(changed);
    secure = changed;
  };
  const close = async (grace = 5000): Promise<void> => {
    stopping.abort(new DOMException("the server stops", "AbortError"));
    await Promise.all(connections.map((each) => each.close(grace, clock)));
  };
  return {
    httpsPort: portOf(https),
    httpPort: http && portOf(http),
    present: change,
    speak: change,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Answers everything that comes to a server, unless `before` does. */
function serve(
  server: Server | HttpsServer,
  { longestStall, ...answering }: Answering & Pick<Limits, "longestStall">,
  before: ReturnType<typeof redirect>,
): Connections {
  const connections = new Connections(server, longestStall);
  server.on("request", (request, response) => {
    if (!connections.admits(request, response)) return;
    if (hidesBody(request)) {
      refuseAtOnce(response, 400, "BadRequest", "malformed HTTP request");
      return;
    }
    if (isCoded(request)) {
      refuseAtOnce(response, 501, "NotImplemented", "no transfer coding is known but chunked");
      return;
    }
    before(request, response, () => answer(request, response, undefined, answering));
  });
  server.on("upgrade", (request, socket, head) =>
    connections.takeOver(socket, () =>
      answerUpgrade(request, socket, head, (response, upgrade) => {
        connections.enter(socket, response);
        before(request, response, () => answer(request, response, upgrade, answering));
      }),
    ),
  );
  server.on("clientError", (error, socket) => {
    if (isGone(error)) socket.destroy();
    else connections.behindAnswers(socket, () => refuseMalformed(error, socket));
  });
  server.on("connect", (_, socket) => connections.takeOver(socket, () => refuseTunnel(socket)));
  server.on("checkExpectation", (request, response) => {
    if (!connections.admits(request, response)) return;
    refuseAtOnce(response, 417, "ExpectationFailed", "nothing but 100-continue can be expected");
  });
  return connections;
}

/** Whether a body is coded below its chunks: node:http gives it as it came. */
function isCoded({
  headers: { "transfer-encoding": coding = "chunked" },
}: IncomingMessage): boolean {
  return !/^\s*chunked\s*$/i.test(coding);
}

/** Refuses what nobody is asked about. */
function refuseAtOnce(...[response, ...why]: Parameters<typeof refuse>): void {
  response.setHeader("X-Request-Id", randomUUID());
  refuse(response, ...why);
}

/** Errors before it listens refuse the port; later ones (a connection that cannot be accepted) are told and survived. */
async function bind(
  server: Server | HttpsServer,
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

function portOf(server: Server | HttpsServer): number {
  const address = server.address() as AddressInfo | null;
  return address?.port ?? 0;
}
