/** How connections are opened. */

import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext } from "node:tls";
import type { buildConnector as Connectors } from "undici";
import type { Clock } from "../../base/index.ts";
import { buildConnector } from "./undici.ts";

/** Where a connection goes to. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Aborts when nobody waits for the connection any more: after 10 s, or when the client is disposed. */
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

/** Opens the connections of one client, and ends at once what is open or under way when that is disposed. */
export class Dialler {
  readonly #dial: Dial | undefined;
  readonly #clock: Clock;
  /** What ends each dial under way. */
  readonly #dialling = new Set<(reason: Error) => void>();
  /** From the start of each connection to its close: undici knows them only once TLS stands. */
  readonly #streams = new Set<Duplex>();
  #closed: Error | undefined;

  constructor(dial: Dial | undefined, clock: Clock) {
    this.#dial = dial;
    this.#clock = clock;
  }

  /** An undici connector for the TLS material given. HTTP/1.1 only (README: "Why not HTTP/2"). */
  connector({ ca, cert, key, servername = "", ...checks }: TlsOptions): Connectors.connector {
    const options: Connectors.BuildOptions = {
      ...checks,
      secureContext: createSecureContext({ ca, cert, key }), // once: each connection would parse the PEM again, 6 ms
      allowH2: false,
      timeout: CONNECT_TIMEOUT,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE,
    };
    const build = buildConnector(options);
    const connect: Connectors.connector = (target, callback) => {
      // Else undici takes the TLS name from a request's Host header; without one it is the server's own.
      const opening: unknown = build({ ...target, servername }, callback);
      if (opening instanceof Duplex) this.#keep(opening);
    };
    const dial = this.#dial;
    return dial === undefined ? connect : this.#through(dial, connect);
  }

  /** Ends what is open and what is under way; whoever waits for it gets the reason. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const end of [...this.#dialling]) end(reason);
    for (const stream of [...this.#streams]) stream.destroy(reason);
  }

  #through(dial: Dial, connect: Connectors.connector): Connectors.connector {
    return (options, callback) => {
      const secure = options.protocol === "https:";
      const port = Number(options.port) || (secure ? 443 : 80);
      this.#within(dial, options.hostname, port)
        .then((stream) => {
          this.#keep(stream);
          const httpSocket = stream as Socket; // undici and tls use of it what Duplex has, and the rest only where it exists
          if (secure) connect({ ...options, httpSocket }, callback);
          else callback(null, httpSocket);
        })
        .catch((cause: unknown) =>
          callback(cause instanceof Error ? cause : new Error(String(cause)), null),
        );
    };
  }

  #keep(stream: Duplex): void {
    this.#streams.add(stream);
    stream.on("error", ignore); // of one that is ended when undici no longer listens
    stream.once("close", () => this.#streams.delete(stream));
    if (this.#closed !== undefined) stream.destroy(this.#closed);
  }

  /** Dials; after CONNECT_TIMEOUT it rejects, and a stream that comes later is destroyed. */
  #within(dial: Dial, host: string, port: number): Promise<Duplex> {
    const late = new AbortController();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        timer.cancel();
        this.#dialling.delete(end);
      };
      const end = (reason: Error): void => {
        settle();
        reject(reason);
        late.abort(reason);
      };
      const timer = this.#clock.after(CONNECT_TIMEOUT, () => end(new DialTimeout(host, port)));
      this.#dialling.add(end);
      if (this.#closed !== undefined) return end(this.#closed);
      const dialled = (async () => dial({ host, port, signal: late.signal }))(); // may also throw at once
      dialled
        .then((stream) => (late.signal.aborted ? void stream.destroy() : resolve(stream)), reject)
        .finally(settle);
    });
  }
}

function ignore(): void {
  // undici hears of it, too
}

class DialTimeout extends Error {
  override readonly name = "DialTimeout";
  readonly code = "ETIMEDOUT";

  constructor(host: string, port: number) {
    super(`no connection to ${host}:${port} within ${CONNECT_TIMEOUT} ms`);
  }
}
