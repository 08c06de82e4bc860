/** How connections are opened. */

import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext } from "node:tls";
import type { buildConnector as Connectors } from "undici";
import type { Clock } from "../../base/index.ts";
import { buildConnector } from "./undici.ts";

/** Where a connection goes to. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Aborts when nobody waits for the connection any more. */
  readonly signal: AbortSignal;
}

/** Opens a byte stream to a host in place of TCP, for example through a tunnel; TLS runs inside of it. */
export type Dial = (target: DialTarget) => Promise<Duplex>;

/** What a TLS connection is made with; certificates and keys are PEM text. */
export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
}

/** Milliseconds for TCP and TLS, or for `dial` and TLS, each. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds of silence after which TCP asks whether the other side is still there. */
const KEEP_ALIVE_PROBE = 30_000;

/** An undici connector for the TLS material given, through `dial` when there is one. HTTP/1.1 only (README: "Why not HTTP/2"). */
export function connectorFor(
  tls: TlsOptions,
  clock: Clock,
  dial: Dial | undefined,
): Connectors.connector {
  const { ca, cert, key, ...checks } = tls;
  const options: Connectors.BuildOptions = {
    ...checks,
    secureContext: createSecureContext({ ca, cert, key }), // once: each connection would parse the PEM again, 6 ms
    allowH2: false,
    timeout: CONNECT_TIMEOUT,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE,
  };
  const connect = buildConnector(options);
  if (dial === undefined) return connect;
  return (options, callback) => {
    const secure = options.protocol === "https:";
    const port = Number(options.port) || (secure ? 443 : 80);
    dialWithin(dial, options.hostname, port, clock)
      .then((stream) => {
        const httpSocket = stream as Socket; // undici and tls use of it what Duplex has, and the rest only where it exists
        if (secure) connect({ ...options, httpSocket }, callback);
        else callback(null, httpSocket);
      })
      .catch((cause: unknown) =>
        callback(cause instanceof Error ? cause : new Error(String(cause)), null),
      );
  };
}

/** Dials; after CONNECT_TIMEOUT it rejects, and a stream that comes later is destroyed. */
function dialWithin(dial: Dial, host: string, port: number, clock: Clock): Promise<Duplex> {
  const late = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = clock.after(CONNECT_TIMEOUT, () => {
      const reason = new DialTimeout(
        `no connection to ${host}:${port} within ${CONNECT_TIMEOUT} ms`,
      );
      late.abort(reason);
      reject(reason);
    });
    dial({ host, port, signal: late.signal })
      .then((stream) => (late.signal.aborted ? void stream.destroy() : resolve(stream)), reject)
      .finally(() => timer.cancel());
  });
}

class DialTimeout extends Error {
  override readonly name = "DialTimeout";
  readonly code = "ETIMEDOUT";
}
