import type { buildConnector, Pool as UndiciPool } from "undici";
import { type Clock, type Logger, messageOf } from "../../base/index.ts";
import { ConfigError } from "../config/config-error.ts";
import {
  authorization,
  type CredentialKeeper,
  type Credentials,
  sameTls,
} from "../config/credentials.ts";
import { pairFault } from "../config/key-pair.ts";
import { type Dial, Dialler, type TlsOptions } from "./dial.ts";
import { Pool } from "./undici.ts";

/** What all connections to one server have in common. */
export interface TransportOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly keeper: CredentialKeeper;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly dial: Dial | undefined;
  /** Connections for calls; streams have one each beside them. */
  readonly maxConnections: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Connections that are open under one TLS material, with the identity that goes into headers. */
export interface Access {
  readonly credentials: Credentials;
  readonly authorization: string | undefined;
  readonly calls: Pool;
  readonly streams: Pool;
}

/** Milliseconds an idle connection is kept; below what servers and load balancers keep (60 s and more). */
const KEEP_ALIVE = 30_000;

/**
 * The connections to one API server. Calls and streams have pools of their own, so that watches never take the places of
 * calls. New TLS material makes new pools; the old ones end with their last request.
 */
export class Transport {
  readonly #options: TransportOptions;
  #access: Access | undefined;
  #nobody: { readonly ca: string | undefined; readonly pool: Pool } | undefined;
  readonly #retiring = new Set<Pool>();
  readonly #dialler: Dialler;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#dialler = new Dialler(options.dial, options.clock);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Connections under the present credentials; a promise only when these must be read first. */
  access(): Access | Promise<Access> {
    const credentials = this.#options.keeper.get();
    if (credentials instanceof Promise) return credentials.then((read) => this.#accessWith(read));
    return this.#accessWith(credentials);
  }

  /** Connections that prove nothing of us, for requests with a credential of somebody else's: beside our certificate that would not count. */
  nobody({ credentials: { ca } }: Access): Pool {
    const old = this.#nobody;
    if (old !== undefined && old.ca === ca) return old.pool;
    const pool = new Pool(this.#options.origin, this.#shared({ ca }));
    this.#nobody = { ca, pool };
    if (old !== undefined) this.#retire(old.pool);
    return pool;
  }

  /** After a 401: whether there are other credentials to try. */
  async renew({ credentials }: Access): Promise<boolean> {
    return (await this.#options.keeper.renew(credentials)) !== undefined;
  }

  /** Ends every connection at once. */
  async close(reason: Error): Promise<void> {
    this.#closed = true;
    this.#options.keeper.close(reason);
    const { calls, streams } = this.#access ?? {};
    const pools = [calls, streams, this.#nobody?.pool, ...this.#retiring];
    const destroyed = pools.map((pool) => pool?.destroy(reason));
    this.#dialler.close(reason); // connections that are not made yet, which pools do not know
    await Promise.all(destroyed);
  }

  /** Lets the requests of replaced pools end, then closes their connections. */
  #retire(...pools: readonly Pool[]): void {
    for (const pool of pools) {
      this.#retiring.add(pool);
      const forget = (): boolean => this.#retiring.delete(pool);
      void pool.close().then(forget, forget);
    }
  }

  #accessWith(credentials: Credentials): Access {
    if (this.#closed) throw new Error("closed");
    const old = this.#access;
    if (old?.credentials === credentials) return old;
    const pools = old === undefined ? this.#pools(credentials) : this.#replace(old, credentials);
    this.#access = {
      credentials,
      authorization: authorization(credentials),
      calls: pools.calls,
      streams: pools.streams,
    };
    return this.#access;
  }

  /** The old pools while the TLS material is the same, or while the new one is unusable: a rotation may be half done. */
  #replace(old: Access, credentials: Credentials): Pick<Access, "calls" | "streams"> {
    if (sameTls(old.credentials, credentials)) return old;
    try {
      const pools = this.#pools(credentials);
      this.#retire(old.calls, old.streams);
      return pools;
    } catch (thrown) {
      this.#options.logger.warn("new certificates cannot be used", { error: messageOf(thrown) });
      return old;
    }
  }

  #pools(credentials: Credentials): Pick<Access, "calls" | "streams"> {
    const { origin, maxConnections } = this.#options;
    const shared = this.#shared(credentials);
    return {
      calls: new Pool(origin, { ...shared, connections: maxConnections }),
      streams: new Pool(origin, shared),
    };
  }

  /** How connections are opened, as many as there are requests. */
  #shared(credentials: Credentials): UndiciPool.Options {
    return {
      connections: null,
      connect: this.#connector(credentials),
      keepAliveTimeout: KEEP_ALIVE,
      headersTimeout: 0, // each call has one timer of its own, deadline.ts
      bodyTimeout: 0,
    };
  }

  #connector(credentials: Credentials): buildConnector.connector {
    try {
      return this.#dialler.connector(this.#tls(credentials));
    } catch (cause) {
      const text = "certificate-authority, client-certificate or client-key cannot be used";
      throw new ConfigError(`${text}: ${messageOf(cause)}`, { cause });
    }
  }

  #tls({ ca, cert, key }: Credentials): TlsOptions {
    const fault = pairFault(cert, key);
    if (fault !== undefined) throw new Error(`the certificate has ${fault}`);
    const { insecureSkipTlsVerify, tlsServerName } = this.#options;
    return {
      rejectUnauthorized: insecureSkipTlsVerify !== true, // whatever else a config without types holds
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    };
  }
}
